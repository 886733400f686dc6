#pragma once

#include "profiler/analysis/lanes.h"
#include "profiler/analysis/metrics.h"

#include <vector>

namespace profiler {

// Sets the peak stash of each device in units of M_a, which is the activations of a device's layers
// for one micro-batch. An activation lives from the start of its F to the end of its B (or of its
// W, if the backward is split). While it is copied between two devices, it counts on both. If a
// RECOMPUTE recomputes the activation, only the share RunInfo::recomputeKeeps of it counts between
// the end of its F and the RECOMPUTE.
void addPeakStash(const engine::Run& run, const Lanes& lanes,
                  engine::IdVector<engine::DeviceId, DeviceMetrics>& devices);

// Sets the byte fields of `devices` from the memory events of the iteration. Leaves them unset if
// no memory was recorded.
void addPeakBytes(const engine::Run& run, engine::Window iteration,
                  engine::IdVector<engine::DeviceId, DeviceMetrics>& devices);

} // namespace profiler
