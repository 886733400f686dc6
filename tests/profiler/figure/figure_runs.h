#pragma once

#include "engine/timeline/run.h"
#include "tests/support/pipelines.h"

#include <string>

namespace tests {

// A simulated run in abstract units, as `bscope simulate` makes it.
inline engine::Run unitRun(const std::string& scheme, int devices, int microBatches,
                           const engine::UnitCosts& unitCosts = {})
{
    engine::Run run;
    run.schedule = engine::lower(scheduleOf(scheme, devices, microBatches));
    const auto costs = costsOf(run.schedule, unitCosts);
    auto timeline = engine::simulate(run.schedule, costs);
    REQUIRE(timeline);
    run.timeline = *std::move(timeline);
    run.info.scheme = scheme;
    run.info.label = scheme == "1f1b" ? "1F1B" : scheme == "bitpipe" ? "BitPipe" : "GPipe";
    run.info.mode = engine::Mode::Simulate;
    run.info.outcome = engine::Outcome::Finished;
    run.info.ticksPerUnit = costs.ticksPerUnit;
    run.info.started = "2026-11-21T03:46:33Z";
    run.info.program = "0.1.0";
    return run;
}

// The same order with times in nanoseconds: F of a device takes `forward`, messages and the
// optimizer cost something.
inline engine::Run measuredRun(const std::string& scheme, int devices, int microBatches,
                               std::int64_t forward = 1'000'000)
{
    engine::UnitCosts unitCosts;
    unitCosts.p2p = {1, 4};
    unitCosts.optimizer = {1, 2};
    unitCosts.allReduce = {1, 2};
    engine::Run run = unitRun(scheme, devices, microBatches, unitCosts);
    auto costs = costsOf(run.schedule, unitCosts);
    for (auto& device : costs.of)
        for (auto& cost : device)
            cost.duration = cost.duration * forward / costs.ticksPerUnit;
    costs.ticksPerUnit = 1;
    auto timeline = engine::simulate(run.schedule, costs);
    REQUIRE(timeline);
    run.timeline = *std::move(timeline);
    run.info.mode = engine::Mode::Emulate;
    run.info.ticksPerUnit = 1;
    return run;
}

} // namespace tests
