#include "engine/sim/simulate.h"
#include "profiler/analysis/metrics.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace tests;

namespace {

profiler::RunMetrics withSpans(const Schedule& schedule, const UnitCosts& costs, SyncPolicy sync)
{
    Run run;
    run.schedule = lower(schedule, sync);
    run.timeline = simulate(run.schedule, costsOf(run.schedule, costs), {.iterations = 2}).value();
    auto metrics = profiler::metrics(run, 1); // the last one
    REQUIRE(metrics);
    return *std::move(metrics);
}

std::vector<IterationSummary> summaries(const Schedule& schedule, const UnitCosts& costs,
                                        SyncPolicy sync)
{
    const Schedule order = addOptimizer(addAllReduce(schedule, sync));
    const auto prices = unitPrices(order, costs);
    REQUIRE(prices);
    auto all = summarize(order, *prices, {.iterations = 2});
    REQUIRE(all);
    return *std::move(all);
}

void checkSame(const profiler::DeviceMetrics& spans, const profiler::DeviceMetrics& sums)
{
    CHECK(sums.span == spans.span);
    CHECK(sums.compute == spans.compute);
    CHECK(sums.peakStash == spans.peakStash);
    CHECK(sums.peakKept == spans.peakKept);
    CHECK(sums.weights == spans.weights);
    CHECK(sums.messagesSent == spans.messagesSent);
    CHECK(sums.messagesReceived == spans.messagesReceived);
    CHECK(sums.localCopies == spans.localCopies);
    CHECK(sums.bubble == spans.bubble + spans.exposedCommunication);
    if (spans.exposedCommunication == 0) {
        CHECK(sums.fill == spans.fill);
        CHECK(sums.wait == spans.wait);
        CHECK(sums.drain == spans.drain);
    }
}

void checkSame(const Schedule& schedule, const UnitCosts& costs, SyncPolicy sync)
{
    const auto spans = withSpans(schedule, costs, sync);
    const auto all = summaries(schedule, costs, sync);
    const auto sums = profiler::metrics(schedule, all.back());
    CHECK(all.size() == 2);
    CHECK(all.front().window.end == all.back().window.begin);
    CHECK(sums.duration == spans.duration);
    CHECK(sums.span == spans.span);
    CHECK(sums.messages == spans.messages);
    if (sums.exposedIsKnown)
        CHECK(sums.bubbleRatio == Approx(spans.bubbleRatio).epsilon(1e-12));
    REQUIRE(sums.devices.size() == spans.devices.size());
    for (const DeviceId d : sums.devices.ids())
        checkSame(spans.devices[d], sums.devices[d]);
}

UnitCosts unevenCosts()
{
    UnitCosts costs;
    costs.forward = {3, 2};
    costs.p2p = {1, 4};
    costs.latency = {1, 8};
    costs.allReduce = {1};
    costs.optimizer = {1, 2};
    costs.devicesPerNode = 2;
    costs.p2pAcross = Fraction{3, 4};
    costs.stages = {{0, {2}, {5}}};
    costs.rules.jitter = {1, 20};
    return costs;
}

} // namespace

TEST_CASE("sums without spans are the sums of the spans, in every scheme")
{
    for (const Scheme& scheme : schemes()) {
        INFO(scheme.name);
        const Schedule schedule = scheduleOf(std::string(scheme.name), 4, 8);
        checkSame(schedule, {}, SyncPolicy::Eager);
        checkSame(schedule, unevenCosts(), SyncPolicy::Late);
        UnitCosts shared = unevenCosts();
        shared.transfer = {1, 2};
        shared.nicsPerNode = 1;
        checkSame(schedule, shared, SyncPolicy::Eager);
        UnitCosts hindered = unevenCosts();
        hindered.rules.blockingSend = true;
        hindered.rules.slowDown = {3, 2};
        checkSame(schedule, hindered, SyncPolicy::Eager);
        hindered.nicsPerNode = 2;
        checkSame(schedule, hindered, SyncPolicy::Eager);
    }
}

TEST_CASE("summaries with recomputation use the kept share")
{
    const Schedule schedule = addRecompute(scheduleOf("1f1b", 4, 8));
    checkSame(schedule, unevenCosts(), SyncPolicy::Eager);
    const auto sums = profiler::metrics(schedule, summaries(schedule, {}, SyncPolicy::Eager)[0]);
    CHECK(sums.devices[{0}].peakKept == 4);
}

TEST_CASE("a device that computes for no time is busy while it sums")
{
    UnitCosts costs;
    costs.allReduce = {1};
    costs.stages = {{1, {0}, {0}}};
    const Schedule schedule = scheduleOf("chimera", 2, 2);
    const auto spans = withSpans(schedule, costs, SyncPolicy::Late);
    const auto sums
        = profiler::metrics(schedule, summaries(schedule, costs, SyncPolicy::Late).back());
    for (const DeviceId d : sums.devices.ids())
        CHECK(sums.devices[d].span == spans.devices[d].span);
    costs.stages = {{0, {0}, {0}}, {1, {0}, {0}}};
    const auto idle
        = profiler::metrics(schedule, summaries(schedule, costs, SyncPolicy::Late).back());
    CHECK(idle.devices[{0}].compute == 0);
    CHECK(idle.devices[{0}].span == idle.duration); // both all-reduces
    CHECK(idle.devices[{0}].drain == idle.duration);
}

TEST_CASE("stashes that move are summed up by when they move")
{
    const Schedule schedule = scheduleFrom({"0F0 0EVICT0 0F1 0B1 0LOAD0 0F2 0B0 0B2", ""});
    UnitCosts costs;
    checkSame(schedule, costs, SyncPolicy::Eager);
    costs.transfer = {3};
    checkSame(schedule, costs, SyncPolicy::Eager);
}

TEST_CASE("an order with transfers of its own, or one that deadlocks, has no sums")
{
    const Schedule lowered = lower(scheduleOf("1f1b", 2, 2));
    const auto prices = unitPrices(lowered.shape, {});
    CHECK_THAT(summarize(lowered, *prices).error().message,
               Catch::Contains("the schedule has SEND and RECV ops"));
    const Schedule stuck = scheduleFrom({"0F0 0B0 0F1 0B1", "1F0 1F1 1B0 1B1"});
    CHECK_THAT(summarize(stuck, *unitPrices(stuck.shape, {})).error().message,
               Catch::Contains("device 0 waits forever at index 1, 0B0"));
}
