#include "profiler/import/job.h"

#include "engine/base/text.h"
#include "engine/base/try.h"

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

// The process group that the trace names as the pipeline of the rank or, without such a name, the
// group in which the rank exchanges most messages. Empty if unknown. Messages in the group of all
// ranks do not show which ranks form a pipeline: Megatron-LM sends the gradients of two stages in
// that group.
std::vector<int> pipelineOf(const JobRank& rank, std::size_t allRanks)
{
    const auto ifMember = [&](std::vector<int> ranks) {
        const bool isMember = std::ranges::find(ranks, rank.rank) != ranks.end();
        return isMember ? std::move(ranks) : std::vector<int>();
    };
    if (!rank.trace.groups.pipeline.empty())
        return ifMember(rank.trace.groups.pipeline);
    std::map<std::uint32_t, int> messages; // process group -> number of messages
    for (const auto& [kernel, nccl] : rank.trace.nccl)
        if (nccl.source >= 0 && nccl.target >= 0 && nccl.group != 0)
            ++messages[nccl.group];
    std::vector<int> pipeline;
    int most = 0;
    for (const auto& [group, count] : messages)
        if (auto ranks = ifMember(rankList(rank.trace.text(group)));
            count > most && !ranks.empty() && ranks.size() < allRanks) {
            pipeline = std::move(ranks);
            most = count;
        }
    return pipeline;
}

// The ranks that exchange messages with the rank, directly or through other ranks.
std::vector<int> exchanging(int rank, const std::map<int, std::set<int>>& peers)
{
    std::set<int> found{rank};
    for (std::vector<int> next{rank}; !next.empty();) {
        const auto known = peers.find(next.back());
        next.pop_back();
        if (known != peers.end())
            for (const int peer : known->second)
                if (found.insert(peer).second)
                    next.push_back(peer);
    }
    return {found.begin(), found.end()};
}

// Finds pipelines by their messages in any group: DeepSpeed sends all of them in the group of all
// ranks. A pipeline is empty if one of its ranks has no trace, because it may consist of several
// parts.
std::set<std::vector<int>> pipelinesOfMessages(const Job& job)
{
    std::map<int, std::set<int>> peers;
    for (const JobRank& rank : job.ranks)
        for (const auto& [kernel, nccl] : rank.trace.nccl)
            if (nccl.source >= 0 && nccl.target >= 0) {
                peers[nccl.source].insert(nccl.target);
                peers[nccl.target].insert(nccl.source);
            }
    std::set<std::vector<int>> pipelines;
    std::set<int> known; // ranks
    for (const JobRank& rank : job.ranks) {
        if (known.contains(rank.rank))
            continue;
        std::vector<int> ranks = exchanging(rank.rank, peers);
        known.insert(ranks.begin(), ranks.end());
        const bool isWhole = std::ranges::all_of(ranks, [&](int each) {
            return std::ranges::binary_search(job.ranks, each, {}, &JobRank::rank);
        });
        pipelines.insert(isWhole && ranks.size() > 1 ? std::move(ranks) : std::vector<int>());
    }
    return pipelines;
}

// Programs that name the groups of pipelines also name the others, and the ranks of a kit have no
// others.
std::optional<int> groupSize(const Job& job, std::vector<int> ProcessGroups::*group)
{
    std::set<std::size_t> sizes;
    for (const JobRank& rank : job.ranks) {
        const RankTrace& trace = rank.trace;
        const bool isAlone = !trace.groups.pipeline.empty() || !trace.schemeName.empty()
            || trace.program == kOwnProgram;
        sizes.insert(std::max((trace.groups.*group).size(), std::size_t{isAlone}));
    }
    const std::size_t size = *sizes.begin();
    return sizes.size() == 1 && size > 0 ? std::optional(static_cast<int>(size)) : std::nullopt;
}

// Ranks of a tensor-parallel or context-parallel group compute a stage together.
class Slots
{
public:
    explicit Slots(const Job& job)
    {
        for (const JobRank& rank : job.ranks)
            for (const auto& group : {rank.trace.groups.tensor, rank.trace.groups.context})
                if (std::ranges::find(group, rank.rank) != group.end())
                    for (const int member : group)
                        join(rank.rank, member);
        for (const JobRank& rank : job.ranks)
            m_lead.emplace(lowest(rank.rank), rank.rank);
    }

    // The lowest rank with a trace of those that compute a stage together; if none has a trace, the
    // lowest.
    int lead(int rank) const
    {
        const auto known = m_lead.find(lowest(rank));
        return known != m_lead.end() ? known->second : lowest(rank);
    }

private:
    int lowest(int rank) const
    {
        for (auto at = m_lower.find(rank); at != m_lower.end(); at = m_lower.find(rank))
            rank = at->second;
        return rank;
    }
    void join(int a, int b)
    {
        const auto [low, high] = std::minmax({lowest(a), lowest(b)});
        if (low != high)
            m_lower[high] = low;
    }

    std::map<int, int> m_lower; // a rank -> a lower one that computes the same stage
    std::map<int, int> m_lead;  // the lowest rank -> the lowest one with a trace
};

// The groups of ranks that compute stages together are one pipeline: they share a lead.
std::vector<std::vector<int>> copiesOf(const std::set<std::vector<int>>& groups, const Slots& slots)
{
    std::set<std::vector<int>> ofLeads;
    for (std::vector<int> group : groups) {
        std::ranges::transform(group, group.begin(), [&](int rank) { return slots.lead(rank); });
        ofLeads.insert(std::move(group));
    }
    std::set<int> taken;
    std::vector<std::vector<int>> copies;
    for (const std::vector<int>& group : ofLeads) {
        const bool isNew
            = std::ranges::none_of(group, [&](int rank) { return taken.contains(rank); });
        taken.insert(group.begin(), group.end());
        if (isNew)
            copies.push_back(group);
    }
    return copies;
}

void findPipelines(Job& job)
{
    const Slots slots(job);
    std::set<int> leads;
    for (const int rank : job.missing)
        leads.insert(slots.lead(rank));
    std::set<std::vector<int>> groups;
    const std::size_t all = job.ranks.size() + job.missing.size();
    for (JobRank& rank : job.ranks) {
        leads.insert(slots.lead(rank.rank));
        rank.isLead = slots.lead(rank.rank) == rank.rank;
        groups.insert(pipelineOf(rank, all));
    }
    if (groups.size() == 1 && groups.begin()->empty())
        groups = pipelinesOfMessages(job);
    std::size_t members = 0;
    for (const std::vector<int>& group : groups)
        members += group.size();
    const std::size_t depth = groups.begin()->size();
    const bool known = depth > 0 && members <= all
        && std::ranges::all_of(groups, [&](const auto& group) { return group.size() == depth; });
    job.pipelines.assign(1, std::vector<int>(leads.begin(), leads.end()));
    if (known)
        job.pipelines = copiesOf(groups, slots);
    job.knowsPipelines = known;
    job.namesPipelines = known && std::ranges::none_of(job.ranks, [](const JobRank& rank) {
                             return rank.trace.groups.pipeline.empty();
                         });
    job.tensorParallel = groupSize(job, &ProcessGroups::tensor);
    job.contextParallel = groupSize(job, &ProcessGroups::context);
    for (JobRank& rank : job.ranks)
        for (const std::vector<int>& ranks : job.pipelines)
            if (const auto at = std::ranges::find(ranks, slots.lead(rank.rank));
                at != ranks.end()) {
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
            return invalid("{} begins {:.1f} s after the end of {}; import the traces of "
                           "one recording",
                           rank->trace.file, static_cast<double>(window.begin - before.end) * 1e-9,
                           other->trace.file);
        if (window.end > before.end)
            known->second = {window, rank};
    }
    return {};
}

// Programs number processes. If every process uses several GPUs, each GPU becomes a rank, and
// process groups and peers of messages, which name processes, are dropped.
Result<void> numberGpus(std::vector<JobRank>& ranks)
{
    const int gpus = ranks.front().trace.gpusOfProcess;
    const auto other = std::ranges::find_if(
        ranks, [&](const JobRank& rank) { return rank.trace.gpusOfProcess != gpus; });
    if (other != ranks.end())
        return fail(Error::Code::Unsupported,
                    "{} is of a process that uses {} GPU{} and {} of one that uses {}; "
                    "record with one GPU per process",
                    ranks.front().trace.file, gpus, gpus == 1 ? "" : "s", other->trace.file,
                    other->trace.gpusOfProcess);
    if (gpus == 1)
        return {};
    const bool isOneProcess = std::ssize(ranks) == gpus;
    int process = -1;
    std::map<std::pair<int, int>, int> gpuOf; // by process and stage
    for (JobRank& rank : ranks) {
        RankTrace& trace = rank.trace;
        process += trace.gpuOfProcess == 0 ? 1 : 0;
        for (const Work& work : rank.work.works)
            if (work.op.stage
                && gpuOf.try_emplace({process, *work.op.stage}, trace.gpuOfProcess).first->second
                    != trace.gpuOfProcess)
                return fail(Error::Code::Unsupported,
                            "{} executes stage {} on two GPUs of a process; record "
                            "with one GPU per process",
                            trace.file, *work.op.stage);
        if (!isOneProcess && !firstStage(rank))
            return fail(Error::Code::Unsupported,
                        "{} is of a process that uses {} GPUs and names no stage of "
                        "one; record with one GPU per process",
                        trace.file, gpus);
        if (isOneProcess && !trace.worldSize)
            trace.rank = 0;
        if (isOneProcess || trace.worldSize)
            trace.worldSize = gpus * trace.worldSize.value_or(1);
        if (trace.rank)
            trace.rank = *trace.rank * gpus + trace.gpuOfProcess;
        trace.groups = {};
        for (auto& [kernel, nccl] : trace.nccl)
            nccl.source = nccl.target = -1;
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
            return invalid("{} states that it is rank {} of {}; ranks are counted from 0",
                           rank.trace.file, *rank.trace.rank, *rank.trace.worldSize);
        if (sized != nullptr && sized->trace.worldSize != rank.trace.worldSize)
            return invalid("{} is from a job with {} ranks, but {} is from a job with {} "
                           "ranks; import the traces of one job",
                           sized->trace.file, *sized->trace.worldSize, rank.trace.file,
                           *rank.trace.worldSize);
        sized = &rank;
    }
    return checkOneRecording(ranks);
}
} // namespace

Result<Job> collectJob(std::vector<JobRank> ranks, std::set<int> unread)
{
    TRY(numberGpus(ranks));
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
        return invalid("{} and {} both have rank {}; import the traces of one job and "
                       "one recording",
                       twice->trace.file, std::next(twice)->trace.file, twice->rank);
    std::set<int> missing = std::move(unread);
    for (int rank = 0; rank < job.ranks.front().trace.worldSize.value_or(0); ++rank)
        missing.insert(rank);
    for (const JobRank& rank : job.ranks)
        missing.erase(rank.rank);
    job.missing.assign(missing.begin(), missing.end());
    findPipelines(job);
    return job;
}

} // namespace profiler
