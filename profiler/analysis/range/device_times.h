#pragma once

#include "profiler/analysis/lanes.h"
#include "profiler/analysis/metrics.h"

namespace profiler {

// Adds compute, exposed communication and bubble of a device in `part`, a window within the
// iteration of `lanes`. Fill and drain are before the first and after the last compute op of the
// iteration, even if these ops are outside `part`.
void addTimes(const Lanes& lanes, engine::Window part, DeviceMetrics& device);

// Adds to `byKind` the parts within `range` of the device's ops of one iteration. Joint ops count
// half each.
void addByKind(const engine::Run& run, const engine::OpIndex& index, const Lanes& lanes,
               engine::Window range, DeviceMetrics& device);

// The common part of two windows; an empty window if they have none.
engine::Window overlap(engine::Window a, engine::Window b);

} // namespace profiler
