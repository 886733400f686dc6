#include "app/compare/compare_numbers.h"

#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"

#include <algorithm>
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
    const ComparedRun& base = comparison.runs[comparison.baseline];
    engine::RunInfo info;
    info.ticksPerUnit = base.ticksPerUnit;
    return timeScale(info, base.metrics.duration);
}

double CompareNumbers::inTime(std::size_t run, double ticks) const
{
    const ComparedRun& base = comparison.runs[comparison.baseline];
    return ticks / static_cast<double>(comparison.runs[run].ticksPerUnit)
        * static_cast<double>(base.ticksPerUnit) / time().perUnit();
}

bool CompareNumbers::isInUnitOfBaseline(std::size_t run) const
{
    return (comparison.runs[run].ticksPerUnit == 1)
        == (comparison.runs[comparison.baseline].ticksPerUnit == 1);
}

profiler::WinReason CompareNumbers::reason() const
{
    return profiler::whyFirst(comparison, rankRuns(comparison, profiler::RankBy::Iteration));
}

std::vector<std::size_t> CompareNumbers::bestAndBaseline(std::size_t most, int current) const
{
    const profiler::Ranking best = rankRuns(comparison, profiler::RankBy::Iteration);
    const std::size_t end = best.lists.size() > 1 ? best.lists[1] : best.order.size();
    std::vector<std::size_t> chosen;
    const auto add = [&](std::size_t run) {
        if (std::ranges::count(chosen, run) == 0)
            chosen.push_back(run);
    };
    for (std::size_t k = 0; k < end && chosen.size() < most; ++k)
        if (best.order[k] != comparison.baseline)
            add(best.order[k]);
    const auto chosenRun = static_cast<std::size_t>(std::max(0, current));
    if (current >= 0 && chosenRun != comparison.baseline && isInUnitOfBaseline(chosenRun))
        add(chosenRun);
    add(comparison.baseline);
    return chosen;
}

engine::Result<CompareNumbers> compareNumbers(const std::vector<const engine::Run*>& runs,
                                              std::size_t baseline, const QStringList& titles)
{
    auto comparison = TRY(profiler::compare(runs, baseline));
    CompareNumbers numbers;
    numbers.comparison = std::move(comparison);
    for (std::size_t k = 0; k < runs.size(); ++k) {
        std::string& label = numbers.comparison.runs[k].label;
        if (label != runs[k]->info.label && k < static_cast<std::size_t>(titles.size()))
            label = titles[static_cast<qsizetype>(k)].toStdString();
    }
    for (const engine::Run* run : runs)
        numbers.ops.push_back(opTimes(*run, engine::reportedIteration(run->timeline)));
    numbers.ranking = rankRuns(numbers.comparison, numbers.by);
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

std::vector<TimeShare> timeShares(const profiler::ComparedRun& run)
{
    using engine::OpKind;
    using Kind = TimeShare::Kind;
    std::vector<TimeShare> shares;
    for (const OpKind op : {OpKind::Forward, OpKind::Recompute, OpKind::Backward,
                            OpKind::BackwardInput, OpKind::BackwardWeight}) {
        const double ticks = run.metrics.mean(
            [op](const profiler::DeviceMetrics& device) { return device.byKind[op]; });
        if (ticks > 0)
            shares.push_back({Kind::Compute, op, ticks});
    }
    const auto add = [&shares](Kind kind, OpKind op, double ticks) {
        if (ticks > 0)
            shares.push_back({kind, op, ticks});
    };
    add(Kind::Exposed, OpKind::SendActivation, run.meanExposed);
    add(Kind::Optimizer, OpKind::OptimizerStep, run.meanOptimizer);
    add(Kind::Bubble, OpKind::Forward, run.meanBubble);
    return shares;
}

} // namespace app
