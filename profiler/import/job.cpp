#include "profiler/import/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace profiler {

using namespace engine;

namespace {
// The lowest stage that the ranges of a rank name.
std::optional<int> firstStage(const JobRank& rank)
{
    std::optional<int> first;
    for (const Work& work : rank.work.works)
        if (work.op.stage && (!first || *work.op.stage < *first))
            first = work.op.stage;
    return first;
}

void numberRanks(Job& job)
{
    const bool allHaveStages = std::ranges::all_of(
        job.ranks, [](const JobRank& rank) { return firstStage(rank).has_value(); });
    if (allHaveStages)
        std::ranges::stable_sort(job.ranks, {}, firstStage);
    for (std::size_t i = 0; i < job.ranks.size(); ++i)
        job.ranks[i].rank = static_cast<int>(i);
    if (job.ranks.size() > 1)
        job.warnings.push_back(
            allHaveStages ? "Not all traces state their rank, so ranks are numbered by stage."
                          : "Not all traces state their rank, so ranks are numbered in the order "
                            "of files and "
                            "processes.");
}

Result<void> checkOneJob(const std::vector<JobRank>& ranks)
{
    const JobRank* sized = nullptr;
    for (const JobRank& rank : ranks) {
        if (!rank.trace.worldSize)
            continue;
        if (sized != nullptr && sized->trace.worldSize != rank.trace.worldSize)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("{} is of a job with {} ranks, {} of one with {}; import the "
                                    "traces of one job",
                                    sized->trace.file, *sized->trace.worldSize, rank.trace.file,
                                    *rank.trace.worldSize));
        sized = &rank;
    }
    return {};
}
} // namespace

Result<Job> collectJob(std::vector<JobRank> ranks)
{
    if (auto ok = checkOneJob(ranks); !ok)
        return tl::unexpected(ok.error());
    Job job;
    job.ranks = std::move(ranks);
    const bool allKnown = std::ranges::all_of(
        job.ranks, [](const JobRank& rank) { return rank.trace.rank.has_value(); });
    if (!allKnown) {
        numberRanks(job);
        return job;
    }
    for (JobRank& rank : job.ranks)
        rank.rank = *rank.trace.rank;
    std::ranges::stable_sort(job.ranks, {}, &JobRank::rank);
    const auto twice = std::ranges::adjacent_find(job.ranks, {}, &JobRank::rank);
    if (twice != job.ranks.end())
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} and {} are both of rank {}; import the traces of one job and "
                                "one recording",
                                twice->trace.file, std::next(twice)->trace.file, twice->rank));
    std::set<int> missing;
    for (int rank = 0; rank < job.ranks.front().trace.worldSize.value_or(0); ++rank)
        missing.insert(rank);
    for (const JobRank& rank : job.ranks)
        missing.erase(rank.rank);
    job.missing.assign(missing.begin(), missing.end());
    return job;
}

} // namespace profiler
