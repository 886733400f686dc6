#pragma once

#include "profiler/import/kineto.h"

#include <string>
#include <vector>

namespace profiler {

// The ranks in one file. A trace with GPU work or a known rank is one rank. Otherwise the processes
// with ranges are its ranks or, if there is one process, the threads with ranges that a rule names.
// `processes[thread]` is the process of each thread.
std::vector<RankTrace> splitRanks(RankTrace trace, const std::vector<std::string>& processes,
                                  const IsNamedByRule& isNamedByRule);

} // namespace profiler
