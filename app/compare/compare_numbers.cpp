#include "app/compare/compare_numbers.h"

#include "engine/base/try.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {

using profiler::ComparedRun;

namespace {

template<class Value>
double largest(const profiler::Comparison& all, std::optional<Value> ComparedRun::*peak)
{
    double largest = 1;
    for (const ComparedRun& run : all.runs)
        largest = std::max(largest, static_cast<double>((run.*peak).value_or(0)));
    return largest;
}

// The durations in one iteration; empty for -1.
OpTimes opTimes(const engine::Run& run, int iteration)
{
    OpTimes times;
    const engine::OpIndex index(run.schedule);
    for (const engine::Track& track : run.timeline.tracks)
        for (const engine::Span& span : track.spans)
            if (static_cast<int>(span.iteration) == iteration)
                times[engine::opAt(run.schedule, index, span.op).kind].push_back(
                    span.window().duration());
    for (auto& durations : times)
        std::ranges::sort(durations);
    return times;
}

} // namespace

double CompareNumbers::largestBytes() const
{
    return largest(comparison, &ComparedRun::peakBytes);
}

double CompareNumbers::largestStash() const
{
    return largest(comparison, &ComparedRun::peakStash);
}

bool CompareNumbers::hasBytes() const
{
    return std::ranges::any_of(comparison.runs,
                               [](const ComparedRun& run) { return run.peakBytes.has_value(); });
}

Scale CompareNumbers::time() const
{
    const ComparedRun& base = comparison.base();
    engine::RunInfo info;
    info.ticksPerUnit = base.ticksPerUnit;
    return timeScale(info, std::llround(std::max(1.0, base.time())));
}

QString CompareNumbers::timeUnit() const
{
    return comparison.isPerToken ? QStringLiteral("%1 per 1000 tokens").arg(time().unit())
                                 : time().unit();
}

double CompareNumbers::inTime(std::size_t run, double ticks) const
{
    const ComparedRun& of = comparison.runs[run];
    const double tokens
        = comparison.isPerToken ? static_cast<double>(of.tokensPerIteration) / 1000 : 1;
    return ticks / static_cast<double>(of.ticksPerUnit) / tokens
        * static_cast<double>(comparison.base().ticksPerUnit) / time().perUnit();
}

Scale CompareNumbers::scale(const profiler::MeasureInfo& measure) const
{
    switch (measure.unit) {
    case profiler::Unit::Time:
        return time();
    case profiler::Unit::Bytes:
        return bytes();
    case profiler::Unit::Share:
        return {0.01, 1, QStringLiteral("%")};
    case profiler::Unit::Activations:
        return {1, 1, QStringLiteral("M\u2090")};
    default:
        return {1, std::max(0, measure.decimals), {}};
    }
}

QString withUnit(const QString& title, const QString& unit)
{
    return unit.isEmpty() ? title : QStringLiteral("%1, %2").arg(title, unit);
}

QString CompareNumbers::inOwnUnit(std::size_t run, const profiler::Amount& time) const
{
    const ComparedRun& of = comparison.runs[run];
    engine::RunInfo info;
    info.ticksPerUnit = of.ticksPerUnit;
    return timeScale(info, of.metrics.duration)
        .withUnit(time.value * engine::ratio(of.ticksPerUnit, comparison.base().ticksPerUnit));
}

Verdict CompareNumbers::colour(const profiler::MeasureInfo& measure, std::size_t run) const
{
    using profiler::Better;
    const auto change = comparison.change(measure.key, run);
    if (comparison.isPerToken && measure.key == "p2p_messages") // more work has more messages
        return Verdict::Neutral;
    if (!change || !change->isMarked() || measure.better == Better::Neither
        || comparison.runs[run].hasOlderWeights != comparison.base().hasOlderWeights)
        return Verdict::Neutral;
    const bool isLess = change->by.value < 0;
    return isLess == (measure.better == Better::Less) ? Verdict::Better : Verdict::Worse;
}

QString CompareNumbers::spreadText(const profiler::MeasureInfo& measure,
                                   const profiler::Change& of) const
{
    if (of.by.spread == profiler::Spread::Exact)
        return QStringLiteral("exact");
    if (of.by.spread == profiler::Spread::Unknown)
        return QStringLiteral("spread unknown");
    const Scale unit = scale(measure);
    return QStringLiteral("%1 to %2")
        .arg(unit.difference(of.by.least), unit.difference(of.by.most));
}

const profiler::Measure<profiler::ReportedRun>& comparedMeasure(std::string_view key)
{
    return *std::ranges::find(profiler::runMeasures(), key, &profiler::MeasureInfo::key);
}

std::optional<double> deviceBubble(const engine::Run& run, const profiler::RunMetrics& metrics,
                                   const profiler::DeviceMetrics& device)
{
    const auto share = std::ranges::find(profiler::deviceMeasures(), profiler::Unit::Share,
                                         &profiler::MeasureInfo::unit);
    return (*share)({run, metrics, device}).number();
}

engine::Result<CompareNumbers> compareNumbers(const std::vector<RunPointer>& runs,
                                              std::size_t baseline, const QStringList& titles)
{
    std::vector<const engine::Run*> compared;
    for (const RunPointer& run : runs)
        compared.push_back(run.get());
    CompareNumbers numbers;
    numbers.runs = runs;
    numbers.comparison = TRY(profiler::compare(compared, baseline));
    for (std::size_t k = 0; k < runs.size(); ++k) {
        std::string& label = numbers.comparison.runs[k].label;
        if (label != runs[k]->info.label && k < static_cast<std::size_t>(titles.size()))
            label = titles[static_cast<qsizetype>(k)].toStdString();
        numbers.ops.push_back(opTimes(*runs[k], engine::reportedIteration(runs[k]->timeline)));
    }
    numbers.ranking = rankRuns(numbers.comparison, numbers.by);
    numbers.verdict = profiler::verdict(numbers.comparison);
    return numbers;
}

CompareNumbersPointer rankedBy(const CompareNumbers& numbers, profiler::RankBy by,
                               profiler::RankOrder direction)
{
    auto ranked = std::make_shared<CompareNumbers>(numbers);
    ranked->by = by;
    ranked->direction = direction;
    ranked->ranking = rankRuns(ranked->comparison, by, direction);
    return ranked;
}

} // namespace app
