#pragma once

#include "profiler/import/placement.h"

#include <map>

namespace profiler {

// [rank][work] The execution of an op that a work became.
using OpsOfWorks = std::vector<std::vector<engine::OpOfIteration>>;

// Moves the GPU activity of all ranks out of their traces into one, relative to `origin` (ns).
// Every rank has its own contexts, threads and correlations. A rank of another copy keeps its work
// as that of other copies.
engine::GpuTrace mergeGpu(Job& job, const Placement& placement, const OpsOfWorks& ops,
                          std::int64_t origin);

} // namespace profiler
