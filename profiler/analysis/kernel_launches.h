#pragma once

#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <vector>

namespace profiler {

// [device] Kernels launched for the ops of a device per iteration, including NCCL's, without
// copies: the mean over the measured iterations that have kernels. Empty if no kernel belongs to an
// op.
engine::IdVector<engine::DeviceId, double> kernelsPerIteration(const engine::Run& run,
                                                               const engine::GpuTrace& trace);

} // namespace profiler
