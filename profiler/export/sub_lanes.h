#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace profiler {

// Which of a track's sub-lanes each span goes to, so that no two of one sub-lane overlap: a device
// sends over several links at once, and viewers drop slices that overlap. The two halves of a
// joint op have one window and nest. [span], from 0.
std::vector<int> subLanes(const engine::Track& track);

} // namespace profiler
