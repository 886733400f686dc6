#pragma once

#include "engine/exec/gradients.h"
#include "engine/model/pipeline_model.h"

namespace engine {

// Where the numbers of a stage lie: as many weights as gradients, twice as many moments, and with
// exact accumulation as many sums.
struct StageMemory
{
    std::span<float> weights, moments, gradients;
    std::span<std::int64_t> sums = {};
};

// A stage as one device holds it: weights, their gradient, the optimizer's two moments. The memory
// is someone else's and must outlive it.
struct StageState
{
    StageState(StageId ofStage, const StageMemory& memory, const Kernels<float>& kernels,
               Accumulate accumulate)
        : stage(ofStage)
        , weights(memory.weights)
        , moments(memory.moments)
        , gradients(memory.gradients, memory.sums, accumulate, kernels)
    {
        kernels.zero(moments);
        gradients.clear();
    }

    void update(const PipelineModel<float>& model)
    {
        model.update(stage, weights, gradients.sum(), moments, ++steps);
        gradients.clear();
    }

    StageId stage;
    std::span<float> weights, moments;
    Gradients gradients;
    int steps = 0;
};

} // namespace engine
