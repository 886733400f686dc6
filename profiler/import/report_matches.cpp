#include "profiler/import/report_matches.h"

#include "engine/timeline/kernel_name.h"

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {

std::string nameOf(const RankTrace& trace, const Match& match)
{
    switch (match.of) {
    case Match::Of::Kernel:
        return demangled(trace.text(match.name));
    case Match::Of::Copy:
        return "Memcpy";
    case Match::Of::Memset:
        return "Memset";
    case Match::Of::Range:
        return trace.text(match.name);
    case Match::Of::Recompute:
        break;
    }
    return "recomputation";
}

// Shortens a name to kMost bytes, because names of kernels have kilobytes of template arguments. A
// UTF-8 character is not cut.
std::string shortened(std::string name)
{
    constexpr std::size_t kMost = 1024; // bytes
    if (name.size() <= kMost)
        return name;
    std::size_t size = kMost;
    while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xC0U) == 0x80U)
        --size;
    name.resize(size);
    return name;
}

std::optional<int> iterationAt(const Timeline& timeline, std::int64_t time)
{
    const auto found = std::ranges::find_if(
        timeline.iterations, [&](const Iteration& each) { return each.window.contains(time); });
    return found == timeline.iterations.end()
        ? std::nullopt
        : std::optional(static_cast<int>(found - timeline.iterations.begin()));
}

} // namespace

std::vector<ImportReport::Match> reportMatches(const Job& job, const Placement& placement,
                                               const OpsOfWorks& ops, const Run& run,
                                               std::int64_t origin)
{
    std::vector<ImportReport::Match> result;
    const auto addRule = [&](const std::string& rule) {
        LongestMatches longest;
        for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank)
            if (const auto known = job.ranks[rank].work.matches.find(rule);
                known != job.ranks[rank].work.matches.end())
                for (Match match : known->second) {
                    match.rank = rank;
                    longest.add(match);
                }
        for (const Match& match : longest.take()) {
            const JobRank& rank = job.ranks[match.rank];
            ImportReport::Match& added = result.emplace_back();
            added.rule = rule;
            added.name = shortened(nameOf(rank.trace, match));
            added.window = {match.window.begin - origin, match.window.end - origin};
            if (const DeviceId device = placement.deviceOfRank[match.rank]; device.isValid())
                added.device = device.value;
            const std::uint32_t work = rank.work.workOf(match);
            const OpOfIteration of
                = work < ops[match.rank].size() ? ops[match.rank][work] : OpOfIteration();
            if (of.isKnown()) {
                added.op = of.op;
                added.iteration = static_cast<int>(of.iteration);
            } else {
                added.iteration = iterationAt(run.timeline, added.window.begin);
            }
        }
    };
    for (const ImportReport::Rule& rule : run.info.import->rules)
        addRule(rule.name);
    addRule("");
    return result;
}

} // namespace profiler
