#include "profiler/predict/predict.h"

#include "engine/base/try.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/memory_events.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/analysis/predicted_info.h"

#include <fmt/format.h>

namespace profiler {

using namespace engine;

namespace {

// The largest number of ops for which spans are kept. Spans, stored costs and transfers need 200
// bytes per op, that is, about 3 GB in total.
constexpr std::size_t kMostWithSpans = std::size_t{1} << 24;

// Returns the bytes per op if the spans of all iterations are kept. Every further iteration adds
// the spans of the op and of two transfers, and a memory event. A stream has the ops of all
// iterations.
int bytesWithSpans(const Schedule& schedule, int iterations)
{
    constexpr int kPerIteration = 3 * sizeof(Span) + sizeof(MemoryEvent);
    return kBytesPerOp + (schedule.shape.windows > 1 ? 0 : iterations - 1) * kPerIteration;
}

bool spansAreFew(const Schedule& schedule, int iterations)
{
    return opCount(schedule) * bytesWithSpans(schedule, iterations) <= kMostWithSpans * kBytesPerOp;
}

// The size of one iteration was checked when the schedule was built.
Result<void> checkIterationsFit(const Schedule& schedule, int iterations)
{
    const int bytes = bytesWithSpans(schedule, iterations);
    if (bytes == kBytesPerOp)
        return {};
    const SizeLimit limit = limitOfMachine(bytes);
    const auto ops = static_cast<std::int64_t>(opCount(schedule));
    if (ops <= limit.ops)
        return {};
    const auto gibi
        = [bytes](std::int64_t count) { return static_cast<double>(count) * bytes / (1 << 30); };
    return fail(Error::Code::InvalidArgument,
                fmt::format("{} iterations of {} ops need {:.1f} GiB, more than the {:.1f} GiB "
                            "available; use fewer --iterations, --micro-batches or --devices",
                            iterations, ops, gibi(ops), gibi(limit.ops)));
}

UnitCosts unitsOf(const PredictionCosts& costs, const PredictOptions& options)
{
    UnitCosts units = costs.units;
    units.rules.blockingAllReduce = options.sync == SyncPolicy::EagerBlocking;
    return units;
}

Result<OpPrices> pricesOf(const Schedule& schedule, const PredictionCosts& costs,
                          const PredictOptions& options)
{
    const UnitCosts units = unitsOf(costs, options);
    const auto& model = costs.model;
    auto mapping = TRY(Mapping::of(schedule, options.mapping,
                                   model ? nodeShape(model->hardware, model->setup.tensorParallel)
                                         : NodeShape{units.devicesPerNode}));
    if (!model)
        return unitPrices(schedule.shape, units, std::move(mapping));
    return modelPrices(schedule.shape, *model, std::move(mapping), units.rules,
                       holds(schedule, OpKind::Recompute) ? RecomputeIn::Ops
                                                          : RecomputeIn::Backward);
}

// Returns the costs of `lowered` from the recorded run. If there are nodes, the costs depend on the
// mappings of both schedules, and `mapping` is set to a description of the mapping of `lowered`.
Result<OpCosts> recordedCosts(const Schedule& lowered, const PredictionCosts& costs,
                              const PredictOptions& options, std::string& mapping)
{
    const UnitCosts units = unitsOf(costs, options);
    const Run& run = *costs.recorded.run;
    CalibrateOptions how{units.devicesPerNode};
    how.inputShare = costs.recorded.inputShare;
    how.rules = units.rules;
    if (units.devicesPerNode > 0) {
        const NodeShape nodes{units.devicesPerNode};
        const auto experiment = experimentFromToml(run.info.experiment);
        how.ofRun = TRY(Mapping::of(
            run.schedule, experiment ? experiment->schedule.mapping : ScheduleRequest().mapping,
            nodes));
        how.ofSchedule = TRY(Mapping::of(lowered, options.mapping, nodes));
        mapping = describe(*how.ofSchedule);
    }
    return calibratedCosts(run, lowered, how);
}

void describe(PredictedRun& one, const PredictionCosts& costs, int iterations)
{
    RunInfo& info = one.run.info;
    const Schedule& schedule = one.run.schedule;
    info.scheme = schedule.scheme;
    info.label = labelOf(schedule.scheme);
    info.mode = Mode::Simulate;
    info.outcome = Outcome::Finished;
    info.recomputeKeeps = costs.recomputeKeeps;
    info.link = linkText(costs.units);
    info.plannedWarmup = 0;
    info.plannedIterations = iterations;
    if (costs.model)
        describeModel(*costs.model, schedule.shape, info);
    if (costs.recorded.run)
        describeRecorded(*costs.recorded.run, costs.recorded.file, schedule.shape, info);
    else if (!one.mapping.empty())
        info.link += ", " + one.mapping;
    info.link += blockingText(costs.units.rules);
}

std::string mappingText(const OpPrices& prices)
{
    return prices.mapping.isOneNode() ? "" : describe(prices.mapping);
}

// Simulates a schedule and keeps the spans. `prices` is nullptr if the costs are those of a
// recorded run.
Result<PredictedRun> withSpans(Schedule lowered, const OpPrices* prices,
                               const PredictionCosts& costs, const PredictOptions& options)
{
    PredictedRun one;
    Run& run = one.run;
    run.schedule = std::move(lowered);
    const Schedule& schedule = run.schedule;
    if (prices != nullptr)
        one.mapping = mappingText(*prices);
    const auto ops = TRY(prices == nullptr ? recordedCosts(schedule, costs, options, one.mapping)
                                           : resolved(schedule, *prices));
    run.timeline = TRY(simulate(schedule, ops, {.iterations = options.iterations}));
    const int stages = schedule.shape.stages;
    if (costs.model)
        run.timeline.memory = simulatedMemory(
            schedule, run.timeline,
            stageBytes(*costs.model, stages, rebuiltBy(schedule, costs.model->setup)),
            options.sync == SyncPolicy::EagerBlocking ? AllReduceMemory::Flattened
                                                      : AllReduceMemory::InPlace);
    run.info.ticksPerUnit = ops.ticksPerUnit;
    describe(one, costs, options.iterations);
    one.metrics = TRY(metrics(run));
    if (prices != nullptr && costs.model && options.needsLoads)
        one.loads = TRY(linkLoads(run, prices->mapping, transferBytes(*costs.model, stages),
                                  one.metrics.iteration));
    return one;
}

// Adds all-reduces and optimizer steps, unless they take no time and block nothing.
Schedule withSteps(Schedule schedule, const OpPrices& prices, SyncPolicy sync)
{
    if (prices.isFree(OpKind::OptimizerStep) && prices.isFree(OpKind::AllReduce)
        && !prices.rules.blockingAllReduce)
        return schedule;
    return addOptimizer(addAllReduce(std::move(schedule), sync));
}

Result<PredictedRun> withoutSpans(Schedule order, const OpPrices& prices,
                                  const PredictionCosts& costs, const PredictOptions& options)
{
    PredictedRun one;
    one.hasSpans = false;
    one.mapping = mappingText(prices);
    Run& run = one.run;
    run.schedule = withSteps(std::move(order), prices, options.sync);
    const auto summaries
        = TRY(summarize(run.schedule, prices, {options.iterations, costs.recomputeKeeps}));
    for (const IterationSummary& summary : summaries) {
        Iteration iteration;
        iteration.number = static_cast<int>(run.timeline.iterations.size());
        iteration.window = summary.window;
        run.timeline.iterations.push_back(std::move(iteration));
    }
    run.info.ticksPerUnit = prices.ticksPerUnit;
    describe(one, costs, options.iterations);
    const int reported = reportedIteration(run.timeline);
    one.metrics = metrics(run.schedule, summaries[static_cast<std::size_t>(reported)]);
    one.metrics.iteration = reported;
    addRates(run.info, run.info.peakFlops, run.schedule.shape.dataParallel, one.metrics);
    return one;
}

} // namespace

std::string labelOf(const std::string& scheme)
{
    const Scheme* known = findScheme(scheme);
    const std::string_view title = known ? known->title : std::string_view(scheme);
    return std::string(title.substr(0, title.find(" (")));
}

Result<PredictedRun> predict(Schedule order, const PredictionCosts& costs,
                             const PredictOptions& options)
{
    std::optional<OpPrices> prices;
    if (!costs.recorded.run)
        prices = TRY(pricesOf(order, costs, options));
    // Without spans there are no RECVs, whose places matter if receives are deferred.
    const bool receivesWait = prices && prices->rules.receive == ReceiveRule::Deferred
        && (!prices->isCommunicationFree() || hasTransfers(order));
    const bool needsSpans = !prices || options.needsSpans || receivesWait || order.shape.windows > 1
        || (spansAreFew(order, options.iterations) && checkIterationsFit(order, options.iterations)
            && (!prices->isCommunicationFree() || hasTransfers(order)));
    if (!needsSpans)
        return withoutSpans(std::move(order), *prices, costs, options);
    TRY(checkIterationsFit(order, options.iterations));
    return withSpans(lower(order, options.sync), prices ? &*prices : nullptr, costs, options);
}

Result<PredictedRun> predictLowered(Schedule lowered, const PredictionCosts& costs,
                                    const PredictOptions& options)
{
    if (costs.recorded.run)
        return withSpans(std::move(lowered), nullptr, costs, options);
    const auto prices = TRY(pricesOf(lowered, costs, options));
    return withSpans(std::move(lowered), &prices, costs, options);
}

Result<OpCosts> opCosts(const Schedule& lowered, const PredictionCosts& costs,
                        const PredictOptions& options)
{
    std::string mapping;
    if (costs.recorded.run)
        return recordedCosts(lowered, costs, options, mapping);
    const auto prices = TRY(pricesOf(lowered, costs, options));
    return resolved(lowered, prices);
}

PreparedSchedule preparedSchedule(const Schedule& order, std::string label, SyncPolicy sync)
{
    PreparedSchedule prepared{{}, validate(order), opCount(order), std::move(label)};
    if (prepared.violations.empty())
        prepared.lowered = lower(order, sync);
    return prepared;
}

Result<PreparedSchedule> preparedSchedule(const PredictionRequest& request)
{
    const auto order = TRY(orderOf(request));
    TRY(checkSync(order, request.sync));
    const std::string& file = request.scheduleFile;
    return preparedSchedule(
        order, file.empty() ? labelOf(request.schedule.scheme) : file.substr(file.rfind('/') + 1),
        request.sync);
}

Result<Run> schematic(const Run& run)
{
    auto drawn = TRY(predictLowered(run.schedule, {}, {.needsLoads = false}));
    RunInfo info = run.info;
    info.mode = Mode::Simulate;
    info.ticksPerUnit = drawn.run.info.ticksPerUnit;
    drawn.run.info = std::move(info);
    return std::move(drawn.run);
}

Result<Run> schematic(const Experiment& experiment)
{
    Run run;
    run.schedule = TRY(scheduleOf(experiment, Windows::One));
    run.info.scheme = run.schedule.scheme;
    run.info.label = labelOf(run.info.scheme);
    run.info.outcome = Outcome::Finished;
    return schematic(run);
}

} // namespace profiler
