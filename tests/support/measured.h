#pragma once

#include "profiler/analysis/metrics.h"
#include "tests/support/pipelines.h"

#include <vector>

// What a schedule comes to; with F = 1, B = 2, I = W = 1 and free messages, unless other costs are
// given: the numbers of the closed forms.
namespace tests {

struct Measured
{
    double iteration = 0, span = 0; // units
    double bubbleRatio = 0;
    int messages = 0, localCopies = 0;
    std::vector<double> peakStash, weights; // [device]: M_a, M_theta
};

inline Measured measured(const engine::Schedule& schedule, const engine::UnitCosts& costs = {})
{
    Simulated simulation = simulated(schedule, costs);
    engine::Run run;
    run.schedule = std::move(simulation.schedule);
    run.timeline = std::move(simulation.timeline);
    run.info.ticksPerUnit = simulation.ticksPerUnit;
    const auto metrics = profiler::metrics(run);
    REQUIRE(metrics);

    Measured result;
    result.iteration = simulation.units(metrics->duration);
    result.span = simulation.units(metrics->span);
    result.bubbleRatio = metrics->bubbleRatio;
    result.messages = metrics->messages;
    result.localCopies = metrics->localCopies;
    for (const profiler::DeviceMetrics& device : metrics->devices) {
        result.peakStash.push_back(device.peakStash);
        result.weights.push_back(device.weights);
    }
    return result;
}

} // namespace tests
