#include "profiler/import/job.h"

#include "engine/base/text.h"
#include "engine/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

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
    std::ranges::stable_sort(job.ranks, naturalLess,
                             [](const JobRank& rank) { return std::string_view(rank.trace.file); });
    const bool allHaveStages = std::ranges::all_of(
        job.ranks, [](const JobRank& rank) { return firstStage(rank).has_value(); });
    if (allHaveStages)
        std::ranges::stable_sort(job.ranks, {}, firstStage);
    for (std::size_t i = 0; i < job.ranks.size(); ++i)
        job.ranks[i].rank = static_cast<int>(i);
    if (job.ranks.size() > 1)
        job.warnings.emplace_back(
            allHaveStages ? "Not all traces state their rank, so ranks are numbered by stage."
                          : "Not all traces state their rank, so ranks are numbered in the order "
                            "of files and "
                            "processes.");
}

// Parses a list of ranks such as "[0, 2]". Returns an empty list if the text is abridged ("[0, 1,
// ..., 31]").
std::vector<int> rankList(std::string_view text)
{
    std::vector<int> ranks;
    if (!text.starts_with('[') || !text.ends_with(']'))
        return ranks;
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        const std::size_t comma = std::min(text.find(','), text.size());
        const auto rank = parseInteger<int>(text.substr(0, comma));
        if (!rank || *rank < 0)
            return {};
        ranks.push_back(*rank);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return ranks;
}

// Returns the ranks of a rank's pipeline: the process group that the trace names as its pipeline
// or, without such a name, the group in which the rank exchanges most messages. Empty if unknown.
std::vector<int> pipelineOf(const JobRank& rank)
{
    const auto ifMember = [&](std::vector<int> ranks) {
        const bool isMember = std::ranges::find(ranks, rank.rank) != ranks.end();
        return isMember ? std::move(ranks) : std::vector<int>();
    };
    if (!rank.trace.pipeline.empty())
        return ifMember(rank.trace.pipeline);
    std::map<std::uint32_t, int> messages; // process group -> number of messages
    for (const auto& [kernel, nccl] : rank.trace.nccl)
        if (nccl.source >= 0 && nccl.target >= 0 && nccl.group != 0)
            ++messages[nccl.group];
    if (messages.empty())
        return {};
    const auto most = std::ranges::max_element(
        messages, {}, [](const std::pair<const std::uint32_t, int>& each) { return each.second; });
    return ifMember(rankList(rank.trace.text(most->first)));
}

void findPipelines(Job& job)
{
    std::vector<int> all = job.missing;
    std::set<std::vector<int>> groups;
    std::size_t members = 0;
    for (const JobRank& rank : job.ranks) {
        all.push_back(rank.rank);
        if (const auto [group, isNew] = groups.insert(pipelineOf(rank)); isNew)
            members += group->size();
    }
    const std::size_t depth = groups.begin()->size();
    const bool known = depth > 0 && members <= all.size()
        && std::ranges::all_of(groups, [&](const auto& group) { return group.size() == depth; });
    std::ranges::sort(all);
    job.pipelines = {all};
    if (known)
        job.pipelines.assign(groups.begin(), groups.end());
    job.namesPipelines = known && std::ranges::none_of(job.ranks, [](const JobRank& rank) {
                             return rank.trace.pipeline.empty();
                         });
    for (JobRank& rank : job.ranks)
        for (const std::vector<int>& ranks : job.pipelines)
            if (const auto at = std::ranges::find(ranks, rank.rank); at != ranks.end()) {
                rank.pipeline = static_cast<int>(&ranks - job.pipelines.data());
                rank.position = static_cast<int>(at - ranks.begin());
            }
}

// Fails if the traces are from two recordings. All ranks of a host share a clock, so two traces of
// a host that are more than a minute apart are not from one recording.
Result<void> checkOneRecording(const std::vector<JobRank>& ranks)
{
    std::map<std::string, std::pair<Window, const JobRank*>> latest; // by host
    std::vector<std::pair<Window, const JobRank*>> recordings;
    for (const JobRank& rank : ranks)
        if (const auto& works = rank.work.works; !works.empty())
            recordings.push_back({{works.front().host.begin, works.back().host.end}, &rank});
    std::ranges::stable_sort(recordings, {}, [](const auto& each) { return each.first.begin; });
    for (const auto& [window, rank] : recordings) {
        const auto [known, isNew] = latest.emplace(rank->trace.host, std::pair(window, rank));
        if (isNew)
            continue;
        auto& [before, other] = known->second;
        constexpr std::int64_t kLongestPause = 60'000'000'000;
        if (window.begin - before.end > kLongestPause)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("{} begins {:.1f} s after the end of {}; import the traces of "
                                    "one recording",
                                    rank->trace.file,
                                    static_cast<double>(window.begin - before.end) * 1e-9,
                                    other->trace.file));
        if (window.end > before.end)
            known->second = {window, rank};
    }
    return {};
}

Result<void> checkOneJob(const std::vector<JobRank>& ranks)
{
    const JobRank* sized = nullptr;
    for (const JobRank& rank : ranks) {
        if (!rank.trace.worldSize)
            continue;
        if (rank.trace.rank && *rank.trace.rank >= *rank.trace.worldSize)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("{} states that it is rank {} of {}; ranks are counted from 0",
                                    rank.trace.file, *rank.trace.rank, *rank.trace.worldSize));
        if (sized != nullptr && sized->trace.worldSize != rank.trace.worldSize)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("{} is from a job with {} ranks, but {} is from a job with {} "
                                    "ranks; import the traces of one job",
                                    sized->trace.file, *sized->trace.worldSize, rank.trace.file,
                                    *rank.trace.worldSize));
        sized = &rank;
    }
    return checkOneRecording(ranks);
}
} // namespace

Result<Job> collectJob(std::vector<JobRank> ranks)
{
    TRY(checkOneJob(ranks));
    Job job;
    job.ranks = std::move(ranks);
    const bool allKnown = std::ranges::all_of(
        job.ranks, [](const JobRank& rank) { return rank.trace.rank.has_value(); });
    if (!allKnown) {
        numberRanks(job);
        findPipelines(job);
        return job;
    }
    for (JobRank& rank : job.ranks)
        rank.rank = *rank.trace.rank;
    std::ranges::stable_sort(job.ranks, {}, &JobRank::rank);
    const auto twice = std::ranges::adjacent_find(job.ranks, {}, &JobRank::rank);
    if (twice != job.ranks.end())
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} and {} both have rank {}; import the traces of one job and "
                                "one recording",
                                twice->trace.file, std::next(twice)->trace.file, twice->rank));
    std::set<int> missing;
    for (int rank = 0; rank < job.ranks.front().trace.worldSize.value_or(0); ++rank)
        missing.insert(rank);
    for (const JobRank& rank : job.ranks)
        missing.erase(rank.rank);
    job.missing.assign(missing.begin(), missing.end());
    findPipelines(job);
    return job;
}

} // namespace profiler
