#include "profiler/analysis/ranking/reasons.h"

#include "profiler/analysis/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {

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
