#pragma once

#include "profiler/import/job.h"

#include <string>
#include <vector>

namespace profiler {

struct FoundIterations
{
    int count = 0;
    std::vector<int> numbers; // of each iteration, as stated by the traces
    std::string from; // how iterations were found: "ranges of iterations"; "" for a single one
    // The iteration of each work of each rank; -1: in no complete iteration.
    std::vector<std::vector<int>> ofWork;
    std::vector<int> incomplete; // of each rank: number of works outside complete iterations
};

// Finds the iterations of a job. Uses the first of these that the traces have: ranges of whole
// iterations; repetitions of an op that names its stage and micro-batch; the parts between
// optimizer steps. Otherwise the job is one iteration. Only iterations that are complete on every
// rank count.
FoundIterations findIterations(const Job& job);

} // namespace profiler
