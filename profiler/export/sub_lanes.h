#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace profiler {

// [span] The sub-lane of each span of a track, from 0. Spans of a sub-lane do not overlap: a device
// sends over several links at the same time, and viewers drop overlapping slices. Joint ops share
// one window and stay in one sub-lane, where they nest.
std::vector<int> subLanes(const engine::Track& track);

} // namespace profiler
