#pragma once

#include "profiler/analysis/lanes.h"
#include "profiler/analysis/metrics.h"

#include <vector>

namespace profiler {

// Adds to `device` its compute, exposed communication and bubble in `part`, a window within the
// iteration of `lanes`. Fill is the bubble before the first compute op of the iteration, and drain
// is the bubble after the last one, even if these ops are outside `part`.
void addTimes(const Lanes& lanes, engine::Window part, DeviceMetrics& device);

// Adds to `device.byKind` how long the device's ops of one iteration run within `range`. Each of
// two joint ops is credited with half of the common window.
void addByKind(const engine::Run& run, const engine::OpIndex& index, const Lanes& lanes,
               engine::Window range, DeviceMetrics& device);

// Returns an empty window if `a` and `b` do not intersect.
engine::Window overlap(engine::Window a, engine::Window b);

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
