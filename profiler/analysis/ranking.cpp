#include "profiler/analysis/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace profiler {

namespace {

constexpr double kUnknownValue = std::numeric_limits<double>::infinity(); // ranked last

// Returns the key of the list in which the run is ranked; that of the baseline sorts first.
auto listOf(const ComparedRun& run, const ComparedRun& base)
{
    const bool inUnits = run.ticksPerUnit != 1;
    return std::tuple(inUnits != (base.ticksPerUnit != 1), run.mode != base.mode, run.mode,
                      run.hasOlderWeights);
}

// The peak of each run in bytes or, in a list without bytes, in M_a; nullopt if it is unknown.
std::vector<std::optional<double>> comparablePeaks(const Comparison& comparison)
{
    const auto& runs = comparison.runs;
    const auto list = [&](const ComparedRun& run) { return listOf(run, comparison.base()); };
    std::set<decltype(list(runs[0]))> inBytes;
    for (const ComparedRun& run : runs)
        if (run.peakBytes)
            inBytes.insert(list(run));
    std::vector<std::optional<double>> peaks;
    for (const ComparedRun& run : runs)
        peaks.push_back(run.peakBytes || !inBytes.contains(list(run)) ? peakOf(run) : std::nullopt);
    return peaks;
}

// The number by which a run is ranked. RankBy::Name has none, so the labels decide.
Amount rankedAmount(const ComparedRun& run, std::optional<double> peak, RankBy by)
{
    const auto known = [&](const char* key) {
        const Amount* amount = run.amount(key);
        return amount == nullptr ? Amount{kUnknownValue} : *amount;
    };
    switch (by) {
    case RankBy::Iteration:
        return known("iteration");
    case RankBy::Bubble:
        return known("bubble_ratio");
    case RankBy::Peak:
        return peak ? Amount{*peak, Spread::Exact} : Amount{kUnknownValue};
    case RankBy::Messages:
        return {static_cast<double>(run.metrics.messages), Spread::Exact};
    case RankBy::Name:
        break;
    }
    return {};
}

// Whether the difference of two runs leaves open which of them is better. A number that is unknown
// is worse than any that is known.
bool isTied(const Change& between)
{
    return between.by.spread == Spread::Unknown ? !std::isinf(between.by.value)
                                                : !between.isDistinguishable();
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
    const auto peaks = comparablePeaks(comparison);
    std::vector<Amount> amounts;
    for (std::size_t k = 0; k < runs.size(); ++k)
        amounts.push_back(rankedAmount(runs[k], peaks[k], by));
    const auto list = [&](std::size_t k) { return listOf(runs[k], comparison.base()); };
    const auto key
        = [&](std::size_t k) { return std::tuple(list(k), amounts[k].value, runs[k].label, k); };
    ranking.order.resize(runs.size());
    std::iota(ranking.order.begin(), ranking.order.end(), std::size_t{0});
    std::ranges::sort(ranking.order, {}, key);
    ranking.rank.resize(runs.size());
    for (std::size_t first = 0, end = 0; first < runs.size(); first = end) {
        ranking.lists.push_back(first);
        const auto own = list(ranking.order[first]);
        std::size_t tied = first; // the first run of the tie
        for (; end < runs.size() && list(ranking.order[end]) == own; ++end) {
            const std::size_t run = ranking.order[end];
            const std::size_t best = ranking.order[tied];
            const auto rounds = by == RankBy::Iteration ? comparison.change("iteration", run, best)
                                                        : std::nullopt;
            if (end > first && !isTied(rounds.value_or(change(amounts[best], amounts[run]))))
                tied = end;
            ranking.rank[run] = runs[run].hasOlderWeights ? 0 : static_cast<int>(tied - first) + 1;
        }
        if (order == RankOrder::WorstFirst)
            std::reverse(ranking.order.begin() + static_cast<std::ptrdiff_t>(first),
                         ranking.order.begin() + static_cast<std::ptrdiff_t>(end));
    }
    for (std::size_t k = 1; k < runs.size(); ++k) {
        const std::size_t one = ranking.order[k - 1], next = ranking.order[k];
        if (ranking.rank[next] == 0 || ranking.rank[one] != ranking.rank[next]
            || list(one) != list(next))
            continue;
        if (ranking.ties.empty() || ranking.ties.back().last != k - 1)
            ranking.ties.push_back({k - 1, k});
        ranking.ties.back().last = k;
    }
    return ranking;
}

std::string Ranking::rankText(std::size_t run) const
{
    const bool isShared = std::ranges::any_of(ties, [&](const Tie& tie) {
        const auto place = std::ranges::find(order, run) - order.begin();
        return std::cmp_less_equal(tie.first, place) && std::cmp_less_equal(place, tie.last);
    });
    return rank[run] == 0 ? "\u2013" : std::to_string(rank[run]) + (isShared ? "=" : "");
}

std::vector<bool> paretoFront(const Comparison& comparison)
{
    const auto& runs = comparison.runs;
    std::vector<bool> isOnFront(runs.size());
    const auto peaks = comparablePeaks(comparison);
    ComparedRun ranked = comparison.base();
    ranked.hasOlderWeights = false;
    std::vector<std::size_t> counted;
    for (std::size_t k = 0; k < runs.size(); ++k)
        if (listOf(runs[k], comparison.base()) == listOf(ranked, comparison.base()) && peaks[k])
            counted.push_back(k);
    const auto beats = [&](std::size_t one, std::size_t other) {
        const auto a = std::pair(runs[one].time(), *peaks[one]);
        const auto b = std::pair(runs[other].time(), *peaks[other]);
        return a.first <= b.first && a.second <= b.second && a != b;
    };
    for (const std::size_t k : counted)
        isOnFront[k]
            = std::ranges::none_of(counted, [&](std::size_t other) { return beats(other, k); });
    return isOnFront;
}

TimeParts timeParts(const ComparedRun& run)
{
    TimeParts parts;
    parts.fill = run.metrics.mean(&DeviceMetrics::fill);
    parts.wait = run.metrics.mean(&DeviceMetrics::wait);
    parts.drain = run.metrics.mean(&DeviceMetrics::drain);
    parts.communication = run.meanExposed;
    parts.optimizer = run.meanOptimizer;
    parts.compute = run.meanCompute - run.meanOptimizer;
    return parts;
}

} // namespace profiler
