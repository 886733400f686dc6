#include "profiler/analysis/ranking/ranking.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace profiler {

namespace {

constexpr double kUnknownValue = std::numeric_limits<double>::infinity(); // ranked last

// Returns the key of the list in which the run is ranked.
auto listOf(const ComparedRun& run)
{
    return std::tuple(run.ticksPerUnit != 1, run.mode);
}

double duration(const ComparedRun& run)
{
    return static_cast<double>(run.metrics.duration) / static_cast<double>(run.ticksPerUnit);
}

// Whether the token counts of all runs are known and differ.
bool haveOtherTokens(const std::vector<ComparedRun>& runs)
{
    const auto tokens = [](const ComparedRun& run) { return run.tokensPerIteration; };
    return std::ranges::all_of(runs, [&](const auto& run) { return tokens(run) > 0; })
        && std::ranges::any_of(runs,
                               [&](const auto& run) { return tokens(run) != tokens(runs[0]); });
}

// The peak of each run in bytes or, in a list without bytes, in M_a; nullopt if it is unknown.
std::vector<std::optional<double>> comparablePeaks(const std::vector<ComparedRun>& runs)
{
    std::set<decltype(listOf(runs[0]))> inBytes;
    for (const ComparedRun& run : runs)
        if (run.peakBytes)
            inBytes.insert(listOf(run));
    std::vector<std::optional<double>> peaks;
    for (const ComparedRun& run : runs)
        peaks.push_back(run.peakBytes || !inBytes.contains(listOf(run)) ? peakOf(run)
                                                                        : std::nullopt);
    return peaks;
}

double valueOf(const ComparedRun& run, std::optional<double> peak, RankBy by, bool isPerToken)
{
    switch (by) {
    case RankBy::Iteration:
        return isPerToken ? duration(run) / static_cast<double>(run.tokensPerIteration)
                          : duration(run);
    case RankBy::Bubble:
        return run.metrics.bubbleRatio;
    case RankBy::Peak:
        return peak.value_or(kUnknownValue);
    case RankBy::Messages:
        return run.metrics.messages;
    case RankBy::Name:
        break;
    }
    return 0;
}

// Adds the ties within one list, which takes the places first to end - 1 of `order`. A tie is a
// sequence of runs whose intervals all overlap.
void addTies(const Comparison& comparison, std::size_t first, std::size_t end, Ranking& ranking)
{
    const auto interval
        = [&](std::size_t place) { return comparison.runs[ranking.order[place]].interval; };
    while (first < end) {
        auto common = interval(first);
        std::size_t last = first;
        for (std::size_t next = first + 1; common && next < end; last = next++) {
            const auto other = interval(next);
            if (!other || !common->overlaps(*other))
                break;
            common = engine::Interval{std::max(common->least, other->least),
                                      std::min(common->most, other->most)};
        }
        if (last > first)
            ranking.ties.push_back({first, last});
        first = last + 1;
    }
}

} // namespace

std::optional<double> peakOf(const ComparedRun& run)
{
    if (run.peakBytes)
        return static_cast<double>(*run.peakBytes);
    return run.peakStash;
}

Ranking rankRuns(const Comparison& comparison, RankBy by, RankOrder order)
{
    Ranking ranking;
    const auto& runs = comparison.runs;
    if (runs.empty())
        return ranking;
    ranking.isPerToken = by == RankBy::Iteration && haveOtherTokens(runs);
    const auto own = listOf(runs[comparison.baseline]);
    const auto peaks = comparablePeaks(runs);
    const auto key = [&](std::size_t k) {
        const auto list = listOf(runs[k]);
        return std::tuple(list != own, list, valueOf(runs[k], peaks[k], by, ranking.isPerToken),
                          runs[k].label, k);
    };
    ranking.order.resize(runs.size());
    std::iota(ranking.order.begin(), ranking.order.end(), std::size_t{0});
    std::ranges::sort(ranking.order, {}, key);
    ranking.rank.resize(runs.size());
    for (std::size_t first = 0, end = 0; first < runs.size(); first = end) {
        ranking.lists.push_back(first);
        const auto list = listOf(runs[ranking.order[first]]);
        for (; end < runs.size() && listOf(runs[ranking.order[end]]) == list; ++end)
            ranking.rank[ranking.order[end]] = static_cast<int>(end - first) + 1;
        if (order == RankOrder::WorstFirst)
            std::reverse(ranking.order.begin() + static_cast<std::ptrdiff_t>(first),
                         ranking.order.begin() + static_cast<std::ptrdiff_t>(end));
        if (by == RankBy::Iteration && !ranking.isPerToken)
            addTies(comparison, first, end, ranking);
    }
    return ranking;
}

std::vector<bool> paretoFront(const Comparison& comparison)
{
    const auto& runs = comparison.runs;
    std::vector<bool> isOnFront(runs.size());
    const auto peaks = comparablePeaks(runs);
    std::vector<std::size_t> counted;
    for (std::size_t k = 0; k < runs.size(); ++k)
        if (listOf(runs[k]) == listOf(runs[comparison.baseline]) && peaks[k])
            counted.push_back(k);
    const auto beats = [&](std::size_t one, std::size_t other) {
        const auto a = std::pair(duration(runs[one]), *peaks[one]);
        const auto b = std::pair(duration(runs[other]), *peaks[other]);
        return a.first <= b.first && a.second <= b.second && a != b;
    };
    for (const std::size_t k : counted)
        isOnFront[k]
            = std::ranges::none_of(counted, [&](std::size_t other) { return beats(other, k); });
    return isOnFront;
}

} // namespace profiler
