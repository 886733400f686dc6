#include "profiler/import/split_ranks.h"

#include "engine/base/text.h"

#include <algorithm>
#include <map>
#include <utility>

namespace profiler {

namespace {
// Sorts texts with numbers by number: "2" before "10".
struct ByNumber
{
    static std::pair<int, std::string> key(const std::string& text)
    {
        return {engine::parseInteger<int>(text).value_or(0), text};
    }
    bool operator()(const std::string& a, const std::string& b) const { return key(a) < key(b); }
};
using RankOf = std::map<std::string, int, ByNumber>;
} // namespace

std::vector<RankTrace> splitRanks(RankTrace trace, const std::vector<std::string>& processes,
                                  const IsNamedByRule& isNamedByRule)
{
    std::vector<RankTrace> ranks;
    RankOf byProcess, byThread;
    const auto isNamed
        = [&](const HostRange& range) { return isNamedByRule(trace.gpu.strings[range.name]); };
    const bool isOneRank = trace.rank || !trace.gpu.kernels.empty();
    if (!isOneRank)
        for (const HostRange& range : trace.ranges)
            if (isNamed(range)) {
                byProcess.emplace(processes[range.thread], 0);
                byThread.emplace(trace.threads[range.thread], 0);
            }
    const bool ofProcesses = byProcess.size() > 1;
    RankOf& rankOf = ofProcesses ? byProcess : byThread;
    if (rankOf.size() < 2) {
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
        one.threads = trace.threads;
        one.gpu.strings = trace.gpu.strings;
        ranks.push_back(std::move(one));
    }
    const auto give = [&](std::vector<HostRange> RankTrace::*rows) {
        for (const HostRange& range : trace.*rows) {
            const auto found = rankOf.find((ofProcesses ? processes : trace.threads)[range.thread]);
            if (found != rankOf.end())
                (ranks[static_cast<std::size_t>(found->second)].*rows).push_back(range);
        }
    };
    give(&RankTrace::ranges);
    give(&RankTrace::ops);
    ranks.front().unreadable = trace.unreadable;
    return ranks;
}

} // namespace profiler
