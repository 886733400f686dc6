#pragma once

#include "engine/cost/op_prices.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "tests/catch.h"

namespace whatif_test {

inline engine::Schedule scheduleOf(const std::string& scheme, int devices, int microBatches)
{
    engine::ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    return engine::buildSchedule(request).value();
}

// A run in ns: F `work` ms, B twice that, a message `latency`/10 ms.
inline engine::Run measuredRun(const engine::Schedule& schedule, int work = 1, int latency = 1,
                               engine::UnitCosts costs = {})
{
    using namespace engine;
    Run run;
    run.schedule = lower(schedule);
    costs.forward = {work};
    costs.backward = {2 * work};
    costs.latency = {latency, 10};
    const auto prices = unitPrices(run.schedule.shape, costs);
    REQUIRE(prices);
    const auto opCosts = resolved(run.schedule, *prices);
    REQUIRE(opCosts);
    run.timeline = simulate(run.schedule, *opCosts, {.iterations = 2}).value();
    const std::int64_t tick = 1'000'000 / opCosts->ticksPerUnit;
    for (Track& track : run.timeline.tracks)
        for (Span& span : track.spans) {
            span.begin *= tick;
            span.end *= tick;
        }
    for (Iteration& iteration : run.timeline.iterations) {
        iteration.window.begin *= tick;
        iteration.window.end *= tick;
    }
    run.info.mode = Mode::Live;
    run.info.scheme = schedule.scheme;
    return run;
}

inline engine::Run measuredRun(const std::string& scheme, int devices = 4, int work = 1,
                               int microBatches = 8, int latency = 1)
{
    return measuredRun(scheduleOf(scheme, devices, microBatches), work, latency);
}

} // namespace whatif_test
