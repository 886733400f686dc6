#pragma once

#include "profiler/import/job.h"

#include <string>
#include <vector>

namespace profiler {

struct FoundIterations
{
    int count = 0;
    std::vector<int> numbers; // number of each iteration, as the traces state it
    // The rule by which iterations were found: "ranges of iterations"; "" if the whole job is one
    // iteration.
    std::string from;
    // For each rank, the iteration of each of its works; -1 if it is in no complete iteration.
    std::vector<std::vector<int>> ofWork;
    std::vector<int> incomplete; // number of works outside complete iterations, by rank
};

// Finds the iterations of a job. Uses the first of these that the traces have: ranges of whole
// iterations, repetitions of an op that names its stage and micro-batch, or optimizer steps.
// Otherwise the job is one iteration. Only iterations that are complete on every rank count.
FoundIterations findIterations(const Job& job);

// Merges the parts of messages: a program may send the shape of a tensor before it, or several
// tensors. If a rank has k messages of a kind per micro-batch, k of them in order are one. The
// returned iterations do not contain the other parts.
FoundIterations mergeMessages(Job& job, FoundIterations iterations);

} // namespace profiler
