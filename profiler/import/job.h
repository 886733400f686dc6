#pragma once

#include "engine/base/result.h"
#include "profiler/import/classify.h"

#include <string>
#include <vector>

namespace profiler {

// A rank of a traced job with its work.
struct JobRank
{
    int rank = 0;
    RankTrace trace;
    ClassifiedRank work;
};

// The ranks of one traced job, by rank.
struct Job
{
    std::vector<JobRank> ranks;
    std::vector<int> missing; // ranks without a trace
    std::vector<std::string> warnings;
};

// Collects the ranks of a job from its traces. Ranks are those that the traces state; without them,
// the order of stages, else that of the files. Fails with Error::Code::InvalidArgument if the
// traces are of two jobs: if they state different sizes of the job, or one rank twice.
engine::Result<Job> collectJob(std::vector<JobRank> ranks);

} // namespace profiler
