#pragma once

#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"

namespace profiler {

// The peak memory in bytes of each device of a predicted schedule. Converts the stashes (M_a) and
// weights (M_theta, with optimizer state) of `predicted` to bytes by their sizes in `measured`: a
// device that holds the same stages as in `measured` has its own sizes, any other device the
// largest of all devices. Empty if `measured` did not record its memory by category.
engine::IdVector<engine::DeviceId, std::int64_t> predictedBytes(const engine::Run& measured,
                                                                const engine::Schedule& schedule,
                                                                const RunMetrics& predicted);

} // namespace profiler
