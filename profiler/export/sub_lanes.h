#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace profiler {

// Returns the sub-lane of each span of a track, counted from 0. Spans can overlap, because a device
// sends over several links at the same time, but viewers drop overlapping slices of one row.
// Therefore spans of one sub-lane do not overlap, except that joint ops, which have the same
// window, share a sub-lane and nest there.
std::vector<int> subLanes(const engine::Track& track);

} // namespace profiler
