#pragma once

#include "profiler/analysis/lanes.h"
#include "profiler/analysis/metrics.h"

#include <vector>

namespace profiler {

// Largest number of activations alive on each device at once, in M_a (a device's layers for one
// micro-batch). An activation is alive from the start of its F to the end of its B, or of its W
// where the backward is split; one on its way to or from another device counts on both. Where a
// RECOMPUTE rebuilds it, it counts RunInfo::recomputeKeeps from the end of its F until then.
void addPeakStash(const engine::Run& run, const Lanes& lanes, std::vector<DeviceMetrics>& devices);

// Fills in the fields of bytes of `devices` from the memory events, for the time of the iteration;
// leaves them empty when no memory was recorded.
void addPeakBytes(const engine::Run& run, engine::Window iteration,
                  std::vector<DeviceMetrics>& devices);

} // namespace profiler
