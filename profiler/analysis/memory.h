#pragma once

#include "profiler/analysis/lanes.h"
#include "profiler/analysis/metrics.h"

#include <vector>

namespace profiler {

// Sets the largest number of activations of each device, in M_a (a device's layers for one
// micro-batch). An activation lives from the start of its F to the end of its B (of its W if the
// backward is split) and counts on both devices while it moves. An activation that a RECOMPUTE
// recomputes counts as RunInfo::recomputeKeeps from the end of its F until the RECOMPUTE.
void addPeakStash(const engine::Run& run, const Lanes& lanes,
                  engine::IdVector<engine::DeviceId, DeviceMetrics>& devices);

// Sets the byte fields of `devices` from the memory events of the iteration. Leaves them unset if
// no memory was recorded.
void addPeakBytes(const engine::Run& run, engine::Window iteration,
                  engine::IdVector<engine::DeviceId, DeviceMetrics>& devices);

} // namespace profiler
