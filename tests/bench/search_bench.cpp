#include "engine/cost/op_prices.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "profiler/search/annealing.h"
#include "profiler/search/search.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <vector>

// How fast the search tries orders, and how good they are after some time.
namespace {

using namespace engine;
using namespace profiler;

UnitCosts costsOf(bool areEqual)
{
    UnitCosts costs;
    if (areEqual)
        return costs;
    costs.inputGradient = {11, 10};
    costs.weightGradient = {7, 10};
    costs.backward = {18, 10};
    costs.p2p = {1, 10};
    return costs;
}

// 768 ops on one core: D = 8, N = 16, two chunks in a V, F I W.
void orders(benchmark::State& state)
{
    ScheduleRequest request;
    request.scheme = "zb-v";
    request.devices = 8;
    request.microBatches = 16;
    const Schedule schedule = buildSchedule(request).value();
    const Schedule lowered = lower(schedule);
    OrderGraph::Memory memory;
    memory.ofPart.resize(static_cast<std::size_t>(schedule.shape.stages), {1, 1});
    const auto graph
        = OrderGraph::of(lowered, unitOpCosts(lowered, costsOf(false)).value(), memory).value();
    std::vector<std::int64_t> limits;
    if (state.range(0) > 0)
        limits.assign(8, state.range(0) * stashPartsPerActivation(schedule.shape));
    Annealing annealing(graph, graph.start(), {limits, 1});
    constexpr std::int64_t kOrders = 1000;
    for (auto _ : state)
        annealing.run(kOrders, 0.5, 0.5);
    state.counters["orders/s"] = benchmark::Counter(static_cast<double>(kOrders),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(orders)->Arg(0)->Arg(8)->ArgName("memory");

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}

// 40 cases: four numbers of devices, two kinds of costs, five limits of memory relative to the
// largest number of stashes of 1F1B, which is D. `range(0)`: seconds for each.
void quality(benchmark::State& state)
{
    std::vector<double> gainsTight, gapsFree;
    int longer = 0, cases = 0, unfit = 0;
    for (auto _ : state)
        for (const int devices : {4, 8, 16, 32})
            for (const bool areEqual : {true, false})
                for (const double share : {0.5, 0.65, 0.8, 1.0, 0.0}) {
                    SearchRequest request;
                    request.prediction.schedule.devices = devices;
                    request.prediction.schedule.microBatches = 2 * devices;
                    request.prediction.schedule.chunks = 2;
                    request.prediction.costs = costsOf(areEqual);
                    request.seconds = static_cast<double>(state.range(0));
                    if (share > 0)
                        request.limit = {false, {share * devices + 0.5}};
                    const std::atomic<bool> stop{false};
                    const auto result = search(
                        request, profiler::costsOf(request.prediction).value(),
                        [](const SearchProgress&) {}, stop);
                    ++cases;
                    if (!result || result->bestPublished() == nullptr) {
                        ++unfit;
                        continue;
                    }
                    const double best = result->bestPublished()->length;
                    longer += result->length() > best ? 1 : 0;
                    if (share > 0 && share < 1)
                        gainsTight.push_back(1 - result->length() / best);
                    if (share == 0)
                        gapsFree.push_back(result->numbers().gap());
                }
    state.counters["cases"] = cases;
    state.counters["without published"] = unfit;
    state.counters["longer than published"] = longer;
    state.counters["median gain below 1F1B's memory, %"] = 100 * median(gainsTight);
    state.counters["median gap without a limit, %"] = 100 * median(gapsFree);
    state.counters["largest gap without a limit, %"]
        = gapsFree.empty() ? 0 : 100 * *std::ranges::max_element(gapsFree);
}
BENCHMARK(quality)->Arg(1)->Arg(10)->Arg(60)->ArgName("seconds")->Iterations(1)->Unit(
    benchmark::kSecond);

} // namespace
