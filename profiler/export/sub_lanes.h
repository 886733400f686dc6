#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace profiler {

// [span] Assigns each span of a track to a sub-lane, counted from 0, such that the spans of a
// sub-lane do not overlap: a device sends over several links at the same time, and viewers drop
// overlapping slices. Joint ops share one window and one sub-lane, where they nest.
std::vector<int> subLanes(const engine::Track& track);

} // namespace profiler
