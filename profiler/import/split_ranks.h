#pragma once

#include "profiler/import/readers/kineto.h"

#include <string>
#include <vector>

namespace profiler {

// Splits the trace of one file into ranks. A trace with kernels, or one that states its rank, is a
// single rank. Otherwise every process with a range that a rule names is a rank. If there is only
// one such process, every thread with such a range is a rank. `processes[thread]` is the process of
// each thread.
std::vector<RankTrace> splitRanks(RankTrace trace, const std::vector<std::string>& processes,
                                  const IsNamedByRule& isNamedByRule);

} // namespace profiler
