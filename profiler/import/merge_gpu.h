#pragma once

#include "profiler/import/placement.h"

#include <map>

namespace profiler {

// For each rank and each of its works, the op and the iteration that the work became.
using OpsOfWorks = std::vector<std::vector<engine::OpOfIteration>>;

// Merges the GPU activity of all ranks that have a device into one trace, with times relative to
// `origin` (ns), and removes it from these ranks. Contexts, threads and correlations of different
// ranks stay distinct. Ranks of other pipeline copies are left out, as in a recorded run.
engine::GpuTrace mergeGpu(Job& job, const Placement& placement, const OpsOfWorks& ops,
                          std::int64_t origin);

} // namespace profiler
