#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <vector>

namespace profiler {

// Returns for each device the mean number of kernels that its ops launch per iteration, over the
// measured iterations that have kernels. Includes NCCL's kernels, but no copies. Empty if no kernel
// belongs to an op.
engine::IdVector<engine::DeviceId, double> kernelsPerIteration(const engine::Run& run,
                                                               const engine::GpuTrace& trace);

} // namespace profiler
