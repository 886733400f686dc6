#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"

namespace profiler {

// Predicts the peak memory in bytes of each device of a schedule. Converts the peak stash (in M_a)
// and the weights (in M_theta, with optimizer state) of `predicted` to bytes. The size of one M_a
// and one M_theta is taken from `measured`: from the same device if both schedules place their
// stages on the same devices, otherwise from the device where it is largest. Returns an empty
// vector if `measured` did not record its memory by category.
engine::IdVector<engine::DeviceId, std::int64_t> predictedBytes(const engine::Run& measured,
                                                                const engine::Schedule& schedule,
                                                                const RunMetrics& predicted);

} // namespace profiler
