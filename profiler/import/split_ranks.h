#pragma once

#include "profiler/import/readers/kineto.h"

#include <string>
#include <vector>

namespace profiler {

// Splits the trace of one file into ranks. A trace that has kernels or states its rank is a single
// rank. Otherwise every process with a range that a rule matches is a rank. If there is only one
// such process, every thread with such a range is a rank, except in traces of PyTorch's profiler,
// in which a process is a rank, and in those that `bscope export` wrote, in which a process is a
// device. `processes[thread]` is the process of each thread. A file of more than 1024 ranks is not
// a trace of a job and stays a single rank.
std::vector<RankTrace> splitRanks(RankTrace trace, const std::vector<std::string>& processes,
                                  const IsNamedByRule& isNamedByRule);

} // namespace profiler
