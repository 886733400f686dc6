#include "app/cli/commands/simulated.h"

#include "engine/schedule/transfers.h"
#include "engine/sim/memory_events.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
// Spans, stored costs and transfers need 200 bytes per op, so 3 GB.
constexpr std::size_t kMostWithSpans = std::size_t{1} << 24;

UnitCosts unitsOf(const SimulationRequest& request)
{
    UnitCosts units = request.costs.units;
    units.rules.blockingAllReduce = request.sync == SyncPolicy::EagerBlocking;
    return units;
}

Result<OpPrices> pricesOf(const Schedule& schedule, const SimulationRequest& request)
{
    const UnitCosts units = unitsOf(request);
    if (!request.costs.model)
        return unitPrices(schedule.shape, units);
    return modelPrices(schedule.shape, *request.costs.model, units.rules,
                       holds(schedule, OpKind::Recompute) ? RecomputeIn::Ops
                                                          : RecomputeIn::Backward);
}

Result<OpCosts> recordedCosts(const Schedule& lowered, const SimulationRequest& request)
{
    const UnitCosts units = unitsOf(request);
    return calibratedCosts(*request.costs.recorded->run, lowered,
                           {units.devicesPerNode, request.costs.recorded->inputShare, units.rules});
}

Result<Simulated> withSpans(const Schedule& schedule, const SimulationRequest& request)
{
    Simulated one;
    one.run.schedule = lower(schedule, request.sync);
    const auto costs = request.costs.recorded
        ? recordedCosts(one.run.schedule, request)
        : pricesOf(schedule, request).and_then([&](const OpPrices& prices) {
              return resolved(one.run.schedule, prices);
          });
    if (!costs)
        return tl::unexpected(costs.error());
    auto timeline = simulate(one.run.schedule, *costs, {.iterations = request.iterations});
    if (!timeline)
        return tl::unexpected(timeline.error());
    one.run.timeline = std::move(*timeline);
    if (request.costs.model)
        one.run.timeline.memory
            = simulatedMemory(one.run.schedule, one.run.timeline,
                              stageBytes(*request.costs.model, schedule.shape.stages,
                                         rebuiltBy(schedule, request.costs.model->setup)));
    one.run.info.ticksPerUnit = costs->ticksPerUnit;
    one.run.info.recomputeKeeps = request.costs.recomputeKeeps;
    auto numbers = metrics(one.run);
    if (!numbers)
        return tl::unexpected(numbers.error());
    one.metrics = std::move(*numbers);
    return one;
}

// Omits all-reduces and optimizer steps if they take no time and block nothing.
Schedule withSteps(Schedule schedule, const OpPrices& prices, SyncPolicy sync)
{
    if (prices.isFree(OpKind::OptimizerStep) && prices.isFree(OpKind::AllReduce)
        && !prices.rules.blockingAllReduce)
        return schedule;
    return addOptimizer(addAllReduce(std::move(schedule), sync));
}

Result<Simulated> withoutSpans(Schedule schedule, const OpPrices& prices,
                               const SimulationRequest& request)
{
    Simulated one;
    one.hasSpans = false;
    one.run.schedule = withSteps(std::move(schedule), prices, request.sync);
    const auto summaries
        = summarize(one.run.schedule, prices, {request.iterations, request.costs.recomputeKeeps});
    if (!summaries)
        return tl::unexpected(summaries.error());
    for (const IterationSummary& summary : *summaries) {
        Iteration iteration;
        iteration.number = static_cast<int>(one.run.timeline.iterations.size());
        iteration.window = summary.window;
        one.run.timeline.iterations.push_back(std::move(iteration));
    }
    one.run.info.ticksPerUnit = prices.ticksPerUnit;
    one.run.info.recomputeKeeps = request.costs.recomputeKeeps;
    one.metrics = metrics(one.run.schedule, summaries->back());
    one.metrics.iteration = reportedIteration(one.run.timeline);
    return one;
}
} // namespace

Result<Simulated> simulated(Schedule schedule, const SimulationRequest& request)
{
    if (request.needsSpans || request.costs.recorded)
        return withSpans(schedule, request);
    const auto prices = pricesOf(schedule, request);
    if (!prices)
        return tl::unexpected(prices.error());
    const bool fits = opCount(schedule) <= kMostWithSpans;
    if (fits && (!prices->isCommunicationFree() || hasTransfers(schedule)))
        return withSpans(schedule, request);
    return withoutSpans(std::move(schedule), *prices, request);
}

} // namespace cli
