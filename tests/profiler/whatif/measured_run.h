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

// The run as traces without messages have it: its ops, which begin when they did.
inline engine::Run withoutMessages(engine::Run run)
{
    using namespace engine;
    const auto isMessage = [](const Op& op) { return isTransfer(op.kind); };
    std::vector<std::uint32_t> numbers;
    std::uint32_t number = 0;
    for (auto& program : run.schedule.program) {
        for (const Op& op : program)
            numbers.push_back(isMessage(op) ? 0 : number++);
        std::erase_if(program, isMessage);
    }
    std::erase_if(run.timeline.tracks,
                  [](const Track& track) { return track.kind != Track::Kind::Compute; });
    for (Track& track : run.timeline.tracks)
        for (Span& span : track.spans)
            span.op = numbers[span.op];
    return run;
}

} // namespace whatif_test
