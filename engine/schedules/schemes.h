#pragma once

#include "engine/schedules/scheme.h"

namespace engine {

// One function and one file per scheme; registry.cpp lists them.
Scheme gpipe();
Scheme oneFOneB();
Scheme bpipe();
Scheme hanayo();
Scheme gems();
Scheme chimera();
Scheme mixpipe();
Scheme eagerOneFOneB();
Scheme oneFOneBOverlap();
Scheme interleavedOneFOneB();
Scheme loopedBfs();
Scheme seqOneFOneB();
Scheme zeroBubbleH1();
Scheme zeroBubbleH2();
Scheme zeroBubbleV();
Scheme zeroBubble1P();
Scheme zeroBubble2P();
Scheme vHalf();
Scheme vMin();
Scheme vOneFOneB();
Scheme interleavedZeroBubble();
Scheme groupedInterleaved();
Scheme bitpipe();
Scheme dualpipe();
Scheme dualpipev();
Scheme pipedream();
Scheme pipedream2bw();
Scheme bitpipeAsync();

} // namespace engine
