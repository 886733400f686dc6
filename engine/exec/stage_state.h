#pragma once

#include "engine/exec/gradients.h"
#include "engine/model/pipeline_model.h"

namespace engine {

// A stage as one device holds it: weights, their gradient, the optimizer's two moments.
struct StageState
{
    StageState(const PipelineModel<float>& model, StageId ofStage, const Kernels<float>& kernels,
               Accumulate accumulate)
        : stage(ofStage)
        , weights(model.sizes(ofStage).parameters)
        , moments(2 * weights.size())
        , gradients(weights.size(), accumulate, kernels)
    { }

    void update(const PipelineModel<float>& model)
    {
        model.update(stage, weights, gradients.sum(), moments, ++steps);
        gradients.clear();
    }

    StageId stage;
    std::vector<float> weights, moments;
    Gradients gradients;
    int steps = 0;
};

} // namespace engine
