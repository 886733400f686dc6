#include "profiler/analysis/ranking.h"

#include "profiler/analysis/measure.h"
#include "profiler/analysis/run_measures.h"

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
            std::reverse(ranking.order.begin() + first, ranking.order.begin() + end);
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
    const auto mean = [&](auto of) { return run.metrics.mean(of); };
    const double optimizer = mean(
        [](const DeviceMetrics& device) { return device.byKind[engine::OpKind::OptimizerStep]; });
    return {mean(&DeviceMetrics::fill),
            mean(&DeviceMetrics::wait),
            mean(&DeviceMetrics::exposedCommunication),
            mean(&DeviceMetrics::drain),
            mean(&DeviceMetrics::compute) - optimizer,
            optimizer};
}

Reading findingsData(std::span<const Finding> findings, std::int64_t ticksPerUnit)
{
    const bool inUnits = ticksPerUnit != 1;
    const double tick = inUnits ? 1.0 / ticksPerUnit : 1e-6;
    Reading::List all;
    for (const Finding& finding : findings) {
        const auto& time = finding.time;
        const Reading value = time ? Reading(time->value * tick) : Reading();
        Reading::Fields fields{{"kind", finding.kind}, {"ms", inUnits ? Reading() : value}};
        if (inUnits)
            fields.emplace_back("units", value);
        fields.emplace_back("interval",
                            time && time->spread == Spread::Interval
                                ? Reading(Reading::List{time->least * tick, time->most * tick})
                                : Reading());
        fields.emplace_back("evidence", finding.evidence);
        fields.emplace_back("sentence", finding.sentence);
        fields.emplace_back("todo", textOrUnknown(finding.todo));
        all.emplace_back(std::move(fields));
    }
    return all;
}

std::string changeKind(const Change& change)
{
    return !change.isDistinguishable() ? "unclear" : change.by.value < 0 ? "shorter" : "longer";
}

namespace {

std::string todo(const Comparison& comparison, const Verdict& of)
{
    if (of.kind == Verdict::Kind::NotComparable) // or an iteration is unknown
        return comparison.obstacle.empty() && comparison.haveOneUnit(of.run, of.other)
            ? ""
            : "compare runs of one model in one unit";
    if (of.kind == Verdict::Kind::Worse)
        return "compare with --same-op-times, to see whether the order or the ops are slower";
    if (of.kind != Verdict::Kind::Unclear || !of.iteration
        || of.iteration->by.spread == Spread::Exact)
        return {};
    return comparison.isMeasuredApart
        ? "record more iterations, and let the runs take turns: bscope run --rounds"
        : "record more iterations";
}

} // namespace

std::vector<Finding> comparisonFindings(std::span<const engine::Run* const> runs,
                                        const Comparison& comparison)
{
    std::vector<Finding> all;
    for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
        if (r == comparison.baseline)
            continue;
        Verdict of = verdict(comparison, r, comparison.baseline);
        if (!comparison.obstacle.empty())
            of.kind = Verdict::Kind::NotComparable;
        const bool isCompared = of.kind != Verdict::Kind::NotComparable && of.iteration;
        of.conditions = conditionsText(comparison);
        all.push_back({isCompared ? changeKind(*of.iteration) : "not_comparable",
                       isCompared ? std::optional(of.iteration->by) : std::nullopt,
                       evidenceText(*runs[r]) + (comparison.isPerToken ? ", per 1000 tokens" : ""),
                       of.text(), todo(comparison, of)});
    }
    return all;
}

std::string evidenceText(const engine::Run& run)
{
    const Evidence of = evidence(run);
    return fmt::format("{}, from {}{}", of.kind, of.from, of.isComplete ? "" : ", incomplete");
}

namespace {

// Times of one comparison share a unit, which suits the iteration of the baseline.
struct TimeFormat
{
    double perUnit = 1;         // ticks
    int decimals = 1;           // -1: as unitNumber()
    std::string unit, per = {}; // per: " per 1000 tokens"

    std::string number(double ticks) const
    {
        const double amount = std::abs(ticks) / perUnit;
        return decimals < 0 ? unitNumber(amount) : fmt::format("{:.{}f}", amount, decimals);
    }
    bool isVisible(double ticks) const
    {
        return number(ticks).find_first_of("123456789") != std::string::npos;
    }
    // "+0.9", with a true minus sign
    std::string difference(double ticks) const
    {
        return (!isVisible(ticks) ? "" : ticks < 0 ? "\u2212" : "+") + number(ticks);
    }
    std::string amount(double ticks) const { return number(ticks) + " " + unit; }
};

TimeFormat timeFormat(const Comparison& comparison)
{
    const std::string per = comparison.isPerToken ? " per 1000 tokens" : "";
    const ComparedRun& base = comparison.base();
    if (base.ticksPerUnit != 1)
        return {static_cast<double>(base.ticksPerUnit), -1, "units", per};
    if (base.time() < 1e6)
        return {1e3, 1, "µs", per};
    return {1e6, base.time() < 1e7 ? 2 : 1, "ms", per};
}

std::string spread(const TimeFormat& format, const Change& of)
{
    if (of.by.spread != Spread::Interval)
        return of.by.spread == Spread::Exact ? "exact" : "spread unknown";
    return format.difference(of.by.least) + " to " + format.difference(of.by.most);
}

// " (-14.1 ms, 95 % interval -16.8 to -10.5)"
std::string inBrackets(const TimeFormat& format, const Change& of)
{
    return fmt::format(" ({} {}{}, {}{})", format.difference(of.by.value), format.unit, format.per,
                       of.by.spread == Spread::Interval ? "95 % interval " : "",
                       spread(format, of));
}

// One part of the iteration of which the difference consists.
struct Cause
{
    const char *key, *name, *less, *more;
};
constexpr Cause kCauses[] = {{"bubble", "bubble", "less bubble", "more bubble"},
                             {"communication_exposed", "exposed communication",
                              "less exposed communication", "more exposed communication"},
                             {"compute", "op times", "faster ops", "slower ops"}};

// "15.1 ms less bubble, 0.4 ms slower ops; op times not distinguishable (+0.9 ms, -1.2 to +2.6)"
std::string causes(const Comparison& comparison, const Verdict& of, const TimeFormat& format)
{
    constexpr double kWorthNaming = 0.05; // share of the whole difference
    std::string clear, unclear;
    for (const Cause& cause : kCauses) {
        const auto by = comparison.change(cause.key, of.run, of.other);
        if (!by || !format.isVisible(by->by.value)
            || std::abs(by->by.value) < kWorthNaming * std::abs(of.iteration->by.value))
            continue;
        if (by->isDistinguishable() || by->by.spread == Spread::Unknown)
            clear += fmt::format("{}{} {}", clear.empty() ? "" : ", ", format.amount(by->by.value),
                                 by->by.value < 0 ? cause.less : cause.more);
        else
            unclear += fmt::format(
                "{}{} not distinguishable ({} {}, {})", unclear.empty() ? "" : "; ", cause.name,
                format.difference(by->by.value), format.unit, spread(format, *by));
    }
    const std::string all = clear + (clear.empty() || unclear.empty() ? "" : "; ") + unclear;
    return all.empty() ? all : ": " + all;
}

// ". +2.8 MiB at the peak"
std::string memory(const Comparison& comparison, const Verdict& of)
{
    const auto bytes = comparison.change("peak_bytes", of.run, of.other);
    const auto stash = comparison.change("peak_stash", of.run, of.other);
    const auto& by = bytes ? bytes : stash;
    if (!by || by->by.value == 0)
        return {};
    const double amount = std::abs(by->by.value);
    return fmt::format(". {}{} at the peak", by->by.value < 0 ? "\u2212" : "+",
                       bytes ? bytesText(std::llround(amount)) : unitNumber(amount) + " M_a");
}

// Completes `of`, whose runs have times in one unit.
void compareTimes(const Comparison& comparison, Verdict& of)
{
    const TimeFormat format = timeFormat(comparison);
    const std::string &run = comparison.runs[of.run].label,
                      &other = comparison.runs[of.other].label;
    const Change& by = *of.iteration;
    if (by.by.spread == Spread::Interval && !by.isDistinguishable()) {
        of.claim = fmt::format("No clear winner: {} and {} are not distinguishable", run, other);
        of.reasons = inBrackets(format, by);
    } else if (by.by.spread == Spread::Unknown && format.isVisible(by.by.value)) {
        of.claim = fmt::format("No clear winner: {} and {} have too few measured iterations", run,
                               other);
        of.reasons = inBrackets(format, by);
    } else if (!format.isVisible(by.by.value)) {
        of.claim = fmt::format("{} takes as long as {}", run, other);
    } else {
        of.claim = fmt::format("{} is {} {} than {}", run, shareText(std::abs(by.share())),
                               by.by.value < 0 ? "shorter" : "longer", other);
        of.reasons = inBrackets(format, by);
        of.kind = by.by.value < 0 ? Verdict::Kind::Better : Verdict::Kind::Worse;
    }
    of.reasons += causes(comparison, of, format) + memory(comparison, of);
}

// " It is faster than every other ranked run."
std::string others(const Comparison& comparison, const Ranking& ranking, std::size_t ranked)
{
    const bool isAlone = ranking.ties.empty() || ranking.ties.front().first > 0;
    const auto next = comparison.change("iteration", ranking.order[1], ranking.order[0]);
    return ranked > 2 && isAlone && next && next->isDistinguishable()
        ? ". It is faster than every other ranked run"
        : "";
}

} // namespace

std::string conditionsText(const Comparison& comparison)
{
    std::string all = comparison.obstacle.empty() ? "" : "Not comparable: " + comparison.obstacle;
    for (const std::string& note : comparison.conditions)
        if (note != comparison.obstacle)
            all += (all.empty() ? "Conditions differ: " : "; ") + note;
    return all;
}

std::string Verdict::text() const
{
    return (conditions.empty() ? "" : conditions + ". ") + claim + reasons + ".";
}

Verdict verdict(const Comparison& comparison, std::size_t run, std::size_t other)
{
    Verdict of;
    of.run = run;
    of.other = other;
    of.iteration = comparison.change("iteration", run, other);
    const ComparedRun &one = comparison.runs[run], &two = comparison.runs[other];
    if (!comparison.haveOneUnit(run, other)) {
        of.kind = Verdict::Kind::NotComparable;
        of.claim
            = fmt::format("Not comparable: one of {} and {} is in abstract units, the other in "
                          "nanoseconds",
                          one.label, two.label);
    } else if (of.iteration) {
        compareTimes(comparison, of);
        if (one.hasOlderWeights != two.hasOlderWeights) {
            of.kind = Verdict::Kind::Unclear;
            of.reasons += fmt::format(". {} trains with older weights, so the two are not ranked",
                                      one.hasOlderWeights ? one.label : two.label);
        }
    } else {
        of.kind = Verdict::Kind::NotComparable;
        of.claim = fmt::format("Not comparable: the iteration of {} is unknown",
                               one.amount("iteration") == nullptr ? one.label : two.label);
    }
    return of;
}

Verdict verdict(const Comparison& comparison)
{
    const std::size_t baseline = comparison.baseline, runs = comparison.runs.size();
    Verdict of;
    of.run = of.other = baseline;
    if (runs < 2) {
        of.claim = comparison.base().label + " is the only run";
        return of;
    }
    const Ranking ranking = rankRuns(comparison, RankBy::Iteration);
    const std::size_t ranked = ranking.lists.size() > 1 ? ranking.lists[1] : runs;
    if (runs == 2) {
        of = verdict(comparison, 1 - baseline, baseline);
    } else if (ranked < 2) {
        of.claim = "No other run is ranked with " + comparison.base().label;
    } else if (ranking.rank[ranking.order[1]] == 1) { // a tie
        of = verdict(comparison, ranking.order[0], ranking.order[1]);
        if (ranking.order[0] != baseline && ranking.order[1] != baseline)
            of.reasons += ". " + summarize(comparison, ranking.order[0]);
    } else {
        of = verdict(comparison, ranking.order[0],
                     ranking.order[0] == baseline ? ranking.order[1] : baseline);
        of.reasons += others(comparison, ranking, ranked);
    }
    of.conditions = of.kind == Verdict::Kind::NotComparable ? "" : conditionsText(comparison);
    if (!comparison.obstacle.empty())
        of.kind = Verdict::Kind::NotComparable;
    return of;
}

std::string summarize(const Comparison& comparison, std::size_t run)
{
    if (run == comparison.baseline)
        return comparison.base().label + " is the baseline";
    const Verdict of = verdict(comparison, run, comparison.baseline);
    return of.claim + of.reasons;
}

} // namespace profiler
