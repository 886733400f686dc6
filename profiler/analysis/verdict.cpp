#include "profiler/analysis/measure.h"
#include "profiler/analysis/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace profiler {

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
    switch (of.by.spread) {
    case Spread::Exact:
        return "exact";
    case Spread::Unknown:
        return "spread unknown";
    case Spread::Interval:
        break;
    }
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
    for (const std::string& note : comparison.notes) {
        if (note == comparison.obstacle)
            continue;
        const bool isScaled = comparison.isPerToken && note.find("tokens") != std::string::npos;
        if (!isScaled && note.find("older weights") == std::string::npos) // a list of its own
            all += (all.empty() ? "Conditions differ: " : "; ") + note;
    }
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
