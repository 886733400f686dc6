#pragma once

#include "engine/schedule/schedule.h"

namespace engine::parts {

// BitPipe's basic unit of D micro-batches and its direct concatenation: fills the programs of an
// empty schedule of `units` x D micro-batches in two V-shaped directions, D even, S = vD stages, v
// even. Of each unit the first half goes down, the second up.
//
// Entry j of a direction has its forward at stage s due in tick s + 2j and its backward (two ticks)
// in 2(S-1-s) + 4j from the end of the first forward at the last stage on. Neither two forwards nor
// two backwards meet on a device, whatever v: chunk c of a direction takes the ticks of one parity
// in a window of D, the other direction those of the other. So a device takes up forwards and
// backwards in the order in which they are due; for v = 2 that is the order of the authors' code.
// Between them stands F^W (F,B)^R B^W with R = D/2 - min(d, D-1-d) and W = vD - R, and for several
// units F^W [(F,B)^R B^(W-R+1) (F,B)^(R-1) F^(W-R+1)]^(K-1) (F,B)^R B^W.
void writeVUnits(Schedule& schedule, int units);

} // namespace engine::parts
