#pragma once

#include "engine/timeline/timeline.h"

#include <vector>

namespace profiler {

// Distributes the spans of a track to sub-lanes without overlaps, because a device sends over
// several links at once and viewers drop overlapping slices. Joint ops share one window and
// nest. [span], from 0.
std::vector<int> subLanes(const engine::Track& track);

} // namespace profiler
