#include "profiler/analysis/metrics.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

namespace {

UnitCosts uneven()
{
    UnitCosts costs;
    costs.stages = {{0, {5, 4}, {3}}};
    costs.p2p = {1, 10};
    costs.latency = {1, 5};
    costs.allReduce = {1, 2};
    costs.optimizer = {1, 4};
    costs.transfer = {1, 2};
    return costs;
}

} // namespace

// Every scheme, with its two makespans: from the first start to the last end of any device, and the
// longest of the devices' own.
TEST_CASE("iterations back to back begin where the one before ends, each as long as one alone")
{
    for (const Scheme& scheme : schemes()) {
        INFO(scheme.name);
        const Schedule schedule = scheduleOf(std::string(scheme.name), 4, 8);
        const Schedule lowered = lower(schedule);
        Run run;
        run.schedule = lowered;
        const OpCosts costs = costsOf(lowered, uneven());
        run.info.ticksPerUnit = costs.ticksPerUnit;
        run.timeline = simulate(lowered, costs, {.iterations = 3}).value();
        const auto summaries = summarize(addOptimizer(addAllReduce(schedule, SyncPolicy::Eager)),
                                         *unitPrices(schedule.shape, uneven()), {.iterations = 3});
        REQUIRE(summaries);
        const auto first = profiler::metrics(run, 0).value();
        std::int64_t end = 0;
        for (int i = 0; i < 3; ++i) {
            INFO("iteration " << i);
            const Window window = run.timeline.iterations[static_cast<std::size_t>(i)].window;
            CHECK(window.begin == end);
            end = window.end;
            const auto one = profiler::metrics(run, i).value();
            CHECK(one.duration == window.duration());
            CHECK(one.duration == first.duration);
            CHECK(one.span == first.span);
            CHECK(one.span <= one.duration);
            const auto summed
                = profiler::metrics(schedule, (*summaries)[static_cast<std::size_t>(i)]);
            CHECK(summed.duration == one.duration);
            CHECK(summed.span == one.span);
        }
    }
}

TEST_CASE("with jitter iterations back to back differ, and begin where the one before ends")
{
    UnitCosts costs = uneven();
    costs.rules.jitter = {1, 10};
    const Schedule lowered = lower(scheduleOf("bitpipe", 4, 8));
    const Timeline timeline = simulate(lowered, costsOf(lowered, costs), {.iterations = 4}).value();
    for (std::size_t i = 1; i < 4; ++i) {
        CHECK(timeline.iterations[i].window.begin == timeline.iterations[i - 1].window.end);
        CHECK(timeline.iterations[i].window.duration()
              != timeline.iterations[i - 1].window.duration());
    }
}
