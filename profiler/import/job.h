#pragma once

#include "engine/base/result.h"
#include "profiler/import/classify/classify.h"

#include <optional>
#include <string>
#include <vector>

namespace profiler {

// A rank of a traced job with its work.
struct JobRank
{
    int rank = 0;
    RankTrace trace;
    ClassifiedRank work;
    int pipeline = 0;   // index in Job::pipelines
    int position = 0;   // position in its pipeline
    bool isLead = true; // the first traced rank of its tensor-parallel and context-parallel groups
};

// The ranks of one traced job, by rank.
struct Job
{
    std::vector<JobRank> ranks;
    std::vector<int> missing; // ranks without a trace
    // The ranks of every copy of the pipeline in the order of their stages; of ranks that compute a
    // stage together, the lead. They are the process groups that the traces name as pipelines or,
    // without such names, the groups in which ranks exchange messages or, if that is the group of
    // all ranks, the ranks that exchange messages with each other. If no groups are known, all
    // ranks form one pipeline.
    std::vector<std::vector<int>> pipelines;
    // Whether process groups or messages give the pipelines, and whether they have the names of
    // pipeline groups.
    bool knowsPipelines = false, namesPipelines = false;
    // Number of ranks that compute a stage together; nullopt if the traces do not state it.
    std::optional<int> tensorParallel, contextParallel;
    std::vector<std::string> warnings;
};

// Collects the ranks of a job from its traces. Traces that do not state their rank are numbered by
// stage, or else in the order of the files. Fails with Error::Code::InvalidArgument if the traces
// are not from one recording of one job: if they state different job sizes, if two state the same
// rank, if a rank exceeds the job size, or if a trace begins more than a minute after another trace
// of its host ended.
engine::Result<Job> collectJob(std::vector<JobRank> ranks);

} // namespace profiler
