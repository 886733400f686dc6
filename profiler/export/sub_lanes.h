#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace profiler {

// Returns the sub-lane of each span of a track, counted from 0. Spans can overlap, because a device
// sends over several links at the same time, but viewers drop overlapping slices of one row.
// Therefore spans of one sub-lane do not overlap. The exception are joint ops: they have one window
// and share a sub-lane, where they nest.
std::vector<int> subLanes(const engine::Track& track);

} // namespace profiler
