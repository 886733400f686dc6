#pragma once

#include "profiler/import/placement.h"

#include <map>

namespace profiler {

// For each rank and each of its works, the op and the iteration that the work became.
using OpsOfWorks = std::vector<std::vector<engine::OpOfIteration>>;

// Merges the GPU activity of all ranks into one trace, with times relative to `origin` (ns), and
// removes it from the ranks. Contexts, threads and correlations of different ranks stay distinct.
// The work of ranks in other pipeline copies is marked as such.
engine::GpuTrace mergeGpu(Job& job, const Placement& placement, const OpsOfWorks& ops,
                          std::int64_t origin);

} // namespace profiler
