#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <vector>

namespace profiler {

// How many kernels an iteration launches for the ops of each device of the pipeline, NCCL's
// included, copies not: the mean over the measured iterations that have any. Empty where no kernel
// belongs to an op of one.
std::vector<double> kernelsPerIteration(const engine::Run& run, const engine::GpuTrace& trace);

} // namespace profiler
