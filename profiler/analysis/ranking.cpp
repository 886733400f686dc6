#include "profiler/analysis/ranking.h"

#include "profiler/analysis/measure.h"

#include <fmt/format.h>

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
        return std::isfinite(run.metrics.bubbleRatio) ? run.metrics.bubbleRatio : kUnknownValue;
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

namespace {

// The time of one part of the iteration in two runs, both in ticks of the second run.
struct Change
{
    const char* name;
    double from = 0, to = 0;

    double difference() const { return to - from; }
};

// The changes from one run to another, largest decrease first.
std::vector<Change> changes(const ComparedRun& from, const ComparedRun& to)
{
    const double scale
        = static_cast<double>(to.ticksPerUnit) / static_cast<double>(from.ticksPerUnit);
    const TimeParts a = timeParts(from), b = timeParts(to);
    std::vector<Change> all{{"fill", a.fill * scale, b.fill},
                            {"wait", a.wait * scale, b.wait},
                            {"drain", a.drain * scale, b.drain},
                            {"exposed communication", a.communication * scale, b.communication},
                            {"compute", a.compute * scale, b.compute},
                            {"optimizer", a.optimizer * scale, b.optimizer}};
    std::ranges::stable_sort(all, {}, &Change::difference);
    return all;
}

bool isVisible(double ticks, std::int64_t ticksPerUnit)
{
    return meanNumber(std::fabs(ticks), ticksPerUnit) != "0.0";
}

std::string amount(double ticks, std::int64_t ticksPerUnit)
{
    return meanNumber(std::fabs(ticks), ticksPerUnit) + " " + timeUnit(ticksPerUnit);
}

std::string joinedWithAnd(const std::vector<std::string>& parts)
{
    std::string text;
    for (std::size_t k = 0; k < parts.size(); ++k)
        text += (k == 0 ? "" : k + 1 == parts.size() ? " and " : ", ") + parts[k];
    return text;
}

// Returns what is larger in `run` than in `other`: the part of the iteration that grows most, such
// as "1.2 ms more exposed communication", and the memory, such as "3.1 MiB more memory".
std::vector<std::string> priceOf(const ComparedRun& run, const ComparedRun& other,
                                 const std::vector<Change>& all)
{
    constexpr double kWorthNaming = 0.01; // share of the other run's memory
    std::vector<std::string> price;
    if (isVisible(all.back().difference(), run.ticksPerUnit) && all.back().difference() > 0)
        price.push_back(fmt::format("{} more {}", amount(all.back().difference(), run.ticksPerUnit),
                                    all.back().name));
    if (run.peakBytes && other.peakBytes) {
        const std::int64_t more = *run.peakBytes - *other.peakBytes;
        if (static_cast<double>(more) > kWorthNaming * static_cast<double>(*other.peakBytes))
            price.push_back(bytesText(more) + " more memory");
    }
    return price;
}

// Returns at most two changes: the largest decreases that are at least a tenth of `whole`, the
// difference in iteration time.
std::vector<Change> gainsOf(const std::vector<Change>& all, double whole, std::int64_t ticksPerUnit)
{
    std::vector<Change> gains;
    for (const Change& one : all)
        if (gains.size() < 2 && one.difference() < -0.1 * std::fabs(whole)
            && isVisible(one.difference(), ticksPerUnit))
            gains.push_back(one);
    return gains;
}

bool overlap(const ComparedRun& one, const ComparedRun& other)
{
    return one.interval && other.interval && one.interval->overlaps(*other.interval);
}

} // namespace

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

WinReason whyFirst(const Comparison& comparison, const Ranking& ranking)
{
    WinReason reason;
    // Size of the baseline's list.
    const std::size_t inList = ranking.lists.size() > 1 ? ranking.lists[1] : ranking.order.size();
    if (inList < 2)
        return reason;
    const ComparedRun& first = comparison.runs[ranking.order[0]];
    const ComparedRun& second = comparison.runs[ranking.order[1]];
    const bool isBaseline = ranking.order[0] == comparison.baseline;
    const ComparedRun& other = isBaseline ? second : comparison.runs[comparison.baseline];
    reason.isClear = ranking.isPerToken || !overlap(first, second);
    if (!reason.isClear)
        reason.sentence = fmt::format("No clear winner: {} and {} are not distinguishable. ",
                                      first.label, second.label);
    const double scale
        = static_cast<double>(first.ticksPerUnit) / static_cast<double>(other.ticksPerUnit);
    const double whole = static_cast<double>(first.metrics.duration)
        - static_cast<double>(other.metrics.duration) * scale;
    if (ranking.isPerToken) {
        const double ratio = static_cast<double>(first.metrics.duration)
            / static_cast<double>(first.tokensPerIteration)
            / (static_cast<double>(other.metrics.duration) * scale)
            * static_cast<double>(other.tokensPerIteration);
        reason.sentence = fmt::format("{} takes {} less time per token than {}.", first.label,
                                      shareText(1 - ratio), other.label);
        return reason;
    }
    if (!isVisible(whole, first.ticksPerUnit)) {
        reason.sentence += fmt::format("{} takes as long as {}.", first.label, other.label);
        return reason;
    }
    reason.sentence += fmt::format(
        "{} is {} ({}) shorter than {}{}{}", first.label, amount(whole, first.ticksPerUnit),
        shareText(-whole / (static_cast<double>(other.metrics.duration) * scale)),
        isBaseline ? "the next run, " : "", other.label, isBaseline ? "," : "");
    const std::vector<Change> all = changes(other, first);
    std::vector<std::string> gains;
    for (const Change& gain : gainsOf(all, whole, first.ticksPerUnit)) {
        gains.push_back(
            fmt::format("{} less {}", amount(gain.difference(), first.ticksPerUnit), gain.name));
        reason.numbers += fmt::format("{}{} {} \u2192 {}", reason.numbers.empty() ? "" : ", ",
                                      gain.name, meanNumber(gain.from, first.ticksPerUnit),
                                      amount(gain.to, first.ticksPerUnit));
    }
    if (!gains.empty()) {
        reason.numbers += " against " + other.label;
        reason.sentence += " because it has " + joinedWithAnd(gains);
    }
    const auto price = priceOf(first, other, all);
    reason.sentence += price.empty() ? "." : " at the cost of " + joinedWithAnd(price) + ".";
    return reason;
}

} // namespace profiler
