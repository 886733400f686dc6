#include "app/compare/compare_numbers.h"

#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/whatif/predict.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {

using profiler::ComparedRun;

double CompareNumbers::largestBytes() const
{
    std::int64_t largest = 1;
    for (const ComparedRun& run : comparison.runs)
        largest = std::max(largest, run.peakBytes.value_or(0));
    return static_cast<double>(largest);
}

double CompareNumbers::largestStash() const
{
    double largest = 1;
    for (const ComparedRun& run : comparison.runs)
        largest = std::max(largest, run.peakStash.value_or(0));
    return largest;
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

std::vector<std::size_t> CompareNumbers::bestAndBaseline(std::size_t most, int current) const
{
    const profiler::Ranking best = rankRuns(comparison, profiler::RankBy::Iteration);
    const std::size_t end = best.lists.size() > 1 ? best.lists[1] : best.order.size();
    std::vector<std::size_t> chosen, older;
    const auto add = [&](std::size_t run) {
        auto& to = comparison.runs[run].hasOlderWeights ? older : chosen;
        if (std::ranges::count(to, run) == 0)
            to.push_back(run);
    };
    for (std::size_t k = 0; k < end && chosen.size() < most; ++k)
        if (best.order[k] != comparison.baseline)
            add(best.order[k]);
    const auto chosenRun = static_cast<std::size_t>(std::max(0, current));
    if (current >= 0 && chosenRun != comparison.baseline && isInUnitOfBaseline(chosenRun))
        add(chosenRun);
    add(comparison.baseline);
    for (std::size_t run = 0; run < comparison.runs.size(); ++run)
        if (comparison.runs[run].hasOlderWeights && isInUnitOfBaseline(run)
            && comparison.runs[run].mode == comparison.base().mode)
            add(run);
    chosen.insert(chosen.end(), older.begin(), older.end());
    return chosen;
}

const profiler::MeasureInfo& comparedMeasure(std::string_view key)
{
    const auto all = profiler::runMeasures();
    return *std::ranges::find_if(
        all, [key](const profiler::MeasureInfo& one) { return one.key == key; });
}

std::optional<double> deviceBubble(const engine::Run& run, const profiler::RunMetrics& metrics,
                                   const profiler::DeviceMetrics& device)
{
    const auto all = profiler::deviceMeasures();
    const auto share = std::ranges::find_if(
        all, [](const profiler::MeasureInfo& one) { return one.unit == profiler::Unit::Share; });
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

engine::Result<std::vector<RunPointer>> withOpTimesOf(const std::vector<RunPointer>& runs,
                                                      std::size_t baseline)
{
    const engine::Run& base = *runs[baseline];
    const auto predictor = TRY(profiler::WhatIfPredictor::create(base));
    std::vector<RunPointer> all;
    for (const RunPointer& run : runs) {
        profiler::WhatIf same;
        same.schedule = run->schedule;
        same.resamples = 0;
        for (auto& program : same.schedule.program) // lowered again by predict()
            std::erase_if(program, [](const engine::Op& op) {
                return isTransfer(op.kind) || op.kind == engine::OpKind::AllReduce
                    || op.kind == engine::OpKind::OptimizerStep;
            });
        engine::Run replayed = TRY(predictor.predict(same)).run;
        replayed.info = run->info;
        replayed.info.mode = engine::Mode::Simulate;
        replayed.info.ticksPerUnit = base.info.ticksPerUnit;
        all.push_back(std::make_shared<const engine::Run>(std::move(replayed)));
    }
    return all;
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

engine::Result<engine::Run> withEvenCosts(const engine::Run& run)
{
    const auto costs = TRY(profiler::calibratedCosts(run, run.schedule, {.ownTimes = false}));
    auto timeline = TRY(engine::simulate(run.schedule, costs));
    engine::Run predicted{run.info, run.schedule, std::move(timeline)};
    predicted.info.label += ", even costs";
    predicted.info.mode = engine::Mode::Simulate;
    predicted.info.outcome = engine::Outcome::Finished;
    predicted.info.failure.clear();
    predicted.info.timing.clear();
    predicted.info.command.clear();
    predicted.info.plannedWarmup = 0;
    predicted.info.plannedIterations = 1;
    return predicted;
}

std::optional<double> OpTimes::median(engine::OpKind kind) const
{
    if (of[kind].empty())
        return std::nullopt;
    std::vector<std::int64_t> copy = of[kind];
    return static_cast<double>(engine::medianOf(copy));
}

OpTimes opTimes(const engine::Run& run, int iteration)
{
    OpTimes times;
    if (iteration < 0)
        return times;
    const engine::OpIndex index(run.schedule);
    for (const engine::Track& track : run.timeline.tracks)
        for (const engine::Span& span : track.spans)
            if (static_cast<int>(span.iteration) == iteration)
                times.of[engine::opAt(run.schedule, index, span.op).kind].push_back(span.end
                                                                                    - span.begin);
    for (auto& durations : times.of)
        std::ranges::sort(durations);
    return times;
}

} // namespace app
