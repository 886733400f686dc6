#pragma once

#include "profiler/import/readers/kineto.h"

#include <string>
#include <vector>

namespace profiler {

// Splits the trace of one file into ranks. A trace with GPU work, or one that states its rank, is a
// single rank. Otherwise every process with ranges is a rank; if there is only one process, every
// thread with a range that a rule names. `processes[thread]` is the process of each thread.
std::vector<RankTrace> splitRanks(RankTrace trace, const std::vector<std::string>& processes,
                                  const IsNamedByRule& isNamedByRule);

} // namespace profiler
