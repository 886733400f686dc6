#pragma once

#include "engine/timeline/run.h"
#include "profiler/import/merge_gpu.h"

#include <vector>

namespace profiler {

// Returns the longest matches of each rule over all ranks. They are grouped by rule; the work that
// no rule matches comes last. `run` must already have its iterations and, in its import report, the
// rules. `origin` is the time in ns that is 0 on its timeline.
std::vector<engine::ImportReport::Match> reportMatches(const Job& job, const Placement& placement,
                                                       const OpsOfWorks& ops,
                                                       const engine::Run& run, std::int64_t origin);

} // namespace profiler
