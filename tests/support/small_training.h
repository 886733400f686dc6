#pragma once

#include "engine/exec/run_experiment.h"

#include <string>
#include <vector>

// Models and runs that train in a moment.
namespace tests {

// `layers` blocks of width 16 with two heads, over sequences of 16 tokens.
inline engine::ModelSpec narrowModel(int layers)
{
    engine::ModelSpec model;
    model.name = "narrow";
    model.layers = layers;
    model.width = 16;
    model.heads = 2;
    model.sequence = 16;
    return model;
}

inline engine::Result<engine::Run> runOf(const engine::Experiment& experiment,
                                         const engine::RunObserver& observer = {})
{
    const std::atomic<bool> cancel{false};
    return engine::runExperiment(experiment, observer, cancel);
}

// Of the iterations that have one.
inline std::vector<double> lossesOf(const engine::Run& run)
{
    std::vector<double> losses;
    for (const engine::Iteration& iteration : run.timeline.iterations)
        if (iteration.loss)
            losses.push_back(*iteration.loss);
    return losses;
}

} // namespace tests
