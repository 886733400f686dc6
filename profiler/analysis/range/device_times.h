#pragma once

#include "profiler/analysis/lanes.h"
#include "profiler/analysis/metrics.h"

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

} // namespace profiler
