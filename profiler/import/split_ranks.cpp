#include "profiler/import/split_ranks.h"

#include "engine/base/text.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace profiler {

namespace {
struct ByNumber
{
    bool operator()(std::string_view a, std::string_view b) const
    {
        return engine::naturalLess(a, b);
    }
};
using RankOf = std::map<std::string, int, ByNumber>;

struct Place // the place of a thread
{
    RankTrace* rank = nullptr;
    std::uint32_t thread = 0; // index in rank->threads
};
} // namespace

std::vector<RankTrace> splitRanks(RankTrace trace, const std::vector<std::string>& processes,
                                  const IsNamedByRule& isNamedByRule)
{
    std::vector<RankTrace> ranks;
    RankOf byProcess, byThread;
    const auto isNamed
        = [&](const HostRange& range) { return isNamedByRule(trace.text(range.name)); };
    const bool isOneRank = trace.rank || !trace.gpu.kernels.empty();
    if (!isOneRank)
        for (const HostRange& range : trace.ranges)
            if (isNamed(range)) {
                byProcess.emplace(processes[range.thread], 0);
                byThread.emplace(trace.threads[range.thread], 0);
            }
    const bool ofProcesses = byProcess.size() > 1 || trace.program == kOwnProgram;
    if (!ofProcesses && trace.program == kKineto)
        byThread.clear();
    RankOf& rankOf = ofProcesses ? byProcess : byThread;
    constexpr std::size_t kMostRanks = 1024; // ranks are compared with each other
    if (rankOf.size() < 2 || rankOf.size() > kMostRanks) {
        ranks.push_back(std::move(trace));
        return ranks;
    }
    for (auto& [key, rank] : rankOf) {
        rank = static_cast<int>(ranks.size());
        RankTrace one;
        one.file = trace.file;
        one.program = trace.program;
        one.host = trace.host;
        one.rank = rank;
        one.worldSize = static_cast<int>(rankOf.size());
        one.texts = trace.texts;
        ranks.push_back(std::move(one));
    }
    std::vector<Place> placeOf(trace.threads.size());
    for (std::uint32_t thread = 0; thread < placeOf.size(); ++thread) {
        const auto found = rankOf.find((ofProcesses ? processes : trace.threads)[thread]);
        if (found == rankOf.end())
            continue;
        RankTrace& rank = ranks[static_cast<std::size_t>(found->second)];
        placeOf[thread] = {&rank, static_cast<std::uint32_t>(rank.threads.size())};
        rank.threads.push_back(trace.threads[thread]);
    }
    const auto give = [&](std::vector<HostRange> RankTrace::*rows) {
        for (HostRange range : trace.*rows) {
            const Place& place = placeOf[range.thread];
            range.thread = place.thread;
            if (place.rank != nullptr)
                (place.rank->*rows).push_back(range);
        }
    };
    give(&RankTrace::ranges);
    give(&RankTrace::ops);
    ranks.front().unreadable = trace.unreadable;
    return ranks;
}

} // namespace profiler
