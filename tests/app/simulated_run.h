#pragma once

#include "engine/cost/cost_model.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "engine/timeline/run.h"
#include "tests/catch.h"

#include <memory>

// Runs for tests of the window: real schedules, placed by the real simulator.

struct SimulatedRun
{
    const char* scheme = "bitpipe";
    int devices = 4, microBatches = 4, iterations = 1;
    bool inNanoseconds = false; // one unit is 1 ms: a run as if it had been measured
};

inline engine::Run simulatedRun(const SimulatedRun& wanted)
{
    engine::ScheduleRequest request;
    request.scheme = wanted.scheme;
    request.devices = wanted.devices;
    request.microBatches = wanted.microBatches;
    const auto schedule = engine::buildSchedule(request);
    REQUIRE(schedule.has_value());
    engine::Run run;
    run.schedule = engine::lower(*schedule);
    auto costs = engine::unitOpCosts(run.schedule, {});
    REQUIRE(costs.has_value());
    run.info.scheme = wanted.scheme;
    run.info.label = engine::findScheme(wanted.scheme)->title;
    run.info.outcome = engine::Outcome::Finished;
    run.info.ticksPerUnit = costs->ticksPerUnit;
    run.info.plannedIterations = wanted.iterations;
    if (wanted.inNanoseconds) {
        for (auto& device : costs->of)
            for (auto& cost : device)
                cost.duration = cost.duration * 1'000'000 / costs->ticksPerUnit;
        costs->ticksPerUnit = run.info.ticksPerUnit = 1;
        run.info.mode = engine::Mode::Emulate;
    }
    auto timeline = engine::simulate(run.schedule, *costs, {wanted.iterations});
    REQUIRE(timeline.has_value());
    run.timeline = std::move(*timeline);
    return run;
}

inline std::shared_ptr<const engine::Run> sharedRun(const SimulatedRun& wanted)
{
    return std::make_shared<const engine::Run>(simulatedRun(wanted));
}

// The run as if it had been imported and the last device had no trace.
inline engine::Run withoutLastTrace(engine::Run run)
{
    const engine::DeviceId last{run.schedule.shape.devices - 1};
    run.info.import.emplace();
    run.schedule.program[last].clear();
    std::erase_if(run.timeline.tracks,
                  [last](const engine::Track& track) { return track.device == last; });
    return run;
}
