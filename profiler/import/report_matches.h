#pragma once

#include "engine/timeline/run.h"
#include "profiler/import/merge_gpu.h"

#include <vector>

namespace profiler {

// The longest matches of each rule over all ranks, rule by rule, those of no rule last. `run` has
// the iterations, and its import report the rules. `origin`: time 0 of its timeline, in ns.
std::vector<engine::ImportReport::Match> reportMatches(const Job& job, const Placement& placement,
                                                       const OpsOfWorks& ops,
                                                       const engine::Run& run, std::int64_t origin);

} // namespace profiler
