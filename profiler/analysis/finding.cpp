#include "profiler/analysis/finding.h"

#include "profiler/analysis/run_measures.h"

#include <fmt/format.h>

namespace profiler {

Reading findingsData(std::span<const Finding> findings, std::int64_t ticksPerUnit)
{
    const bool inUnits = ticksPerUnit != 1;
    const double tick = inUnits ? 1.0 / static_cast<double>(ticksPerUnit) : 1e-6;
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

} // namespace profiler
