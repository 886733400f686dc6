#pragma once

#include "profiler/import/job.h"

#include <string>
#include <vector>

namespace profiler {

struct FoundIterations
{
    int count = 0;
    std::vector<int> numbers;             // [iteration] its number in the traces
    std::string from;                     // "ranges of iterations"; "" if there is one
    std::vector<std::vector<int>> ofWork; // [rank][work], -1: in no complete iteration
    std::vector<int> incomplete;          // [rank] number of works with -1
};

// Finds the iterations of a job: by ranges of whole iterations; else an op that names its stage and
// micro-batch begins the next iteration when it occurs again; else at optimizer steps; else all is
// one iteration. Only iterations that are complete on every rank count.
FoundIterations findIterations(const Job& job);

} // namespace profiler
