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
    int pipeline = 0; // index in Job::pipelines
    int position = 0; // in its pipeline
};

// The ranks of one traced job, by rank.
struct Job
{
    std::vector<JobRank> ranks;
    std::vector<int> missing; // ranks without a trace
    // The ranks of every pipeline, first stage first: the process groups of their messages. One
    // pipeline of all ranks if the traces do not state them.
    std::vector<std::vector<int>> pipelines;
    std::vector<std::string> warnings;
};

// Collects the ranks of a job from its traces. Ranks are those that the traces state; without them,
// the order of stages, else that of the files. Fails with Error::Code::InvalidArgument if the
// traces are of two jobs: if they state different sizes of the job, one rank twice or a rank beyond
// the size, or if one begins more than a minute after another of its host ended.
engine::Result<Job> collectJob(std::vector<JobRank> ranks);

} // namespace profiler
