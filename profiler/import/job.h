#pragma once

#include "engine/base/result.h"
#include "profiler/import/classify/classify.h"
#include "profiler/import/import.h"

#include <optional>
#include <set>
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
    std::string lack;                          // ImportReport::lack
    bool clocksKnown = true, workKnown = true; // those of ImportReport

    // Sets `lack`, if it is not set yet.
    void lacks(const std::string& what) { lack = lack.empty() ? what : lack; }
    // Its reason comes before those of missing ranks, because more numbers are unknown.
    void lacksClock(const std::string& why)
    {
        lack = clocksKnown ? why : lack;
        clocksKnown = false;
    }
    bool onGpu() const // whether times are those of kernels
    {
        return std::ranges::any_of(
            ranks, [](const JobRank& rank) { return !rank.trace.gpu.kernels.empty(); });
    }
};

// Collects the ranks of a job from its traces; those of `unread` files are missing, unless another
// file has them. Traces that do not state their rank are numbered by
// stage, or else in the order of the files. Fails with Error::Code::InvalidArgument if the traces
// are not from one recording of one job: if they state different job sizes, if two state the same
// rank, if a rank exceeds the job size, or if a trace begins more than a
// minute after another trace of its host ended.
engine::Result<Job> collectJob(std::vector<JobRank> ranks, std::set<int> unread = {});

// Makes a run from a job. Its devices are the ranks of the first copy of the pipeline, one of each
// tensor-parallel and context-parallel group; a rank without a trace is a device without ops. The
// stage of an op is found by the first of these rules that applies:
//  * If ranges name stages, these are used. If the range of an op names no stage, but all other
//    ranges of the rank name the same stage, that stage is used.
//  * If ranges name the chunk, the stage follows from the chunk and the rank's place in its
//    pipeline.
//  * If the messages of the ranks show it, ranges name micro-batches, or
//    process groups have the names of pipeline groups, the stage is the rank's place in its
//    pipeline, unless the messages show that a rank has several stages.
//  * Otherwise stages are unknown (ImportReport).
//
// If the range of an op names no micro-batch, micro-batches are numbered in the order of execution.
// Iterations that are not complete on every rank are left out. Fails with Error::Code::NotFound if
// there is no complete iteration with ops.
engine::Result<ImportedRun> buildRun(Job job);

} // namespace profiler
