#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/pipeline/gradients.h"

namespace engine {

// Where the numbers of a stage lie: weights as passes read them, what the optimizer has beside them
// (StageSizes::optimizer()), a gradient each, and with exact accumulation as many sums.
struct StageMemory
{
    std::span<std::byte> weights;
    std::span<float> optimizer, gradients;
    std::span<std::int64_t> sums = {};
};

// The weights in full precision: the optimizer's master copy, or those that passes read.
inline std::span<const float> fullWeights(std::span<const std::byte> weights,
                                          std::span<const float> optimizer, std::size_t count)
{
    if (optimizer.size() > 2 * count) // more than two moments
        return optimizer.first(count);
    return {reinterpret_cast<const float*>(weights.data()), count};
}

// A stage as one device holds it: weights, their gradient, the optimizer's numbers, which begin as
// zero. The memory is someone else's and must outlive it.
struct StageState
{
    StageState(StageId ofStage, const StageMemory& memory, const Kernels<float>& kernels,
               Accumulate accumulate)
        : stage(ofStage)
        , weights(memory.weights)
        , optimizer(memory.optimizer)
        , gradients(memory.gradients, memory.sums, accumulate, kernels)
    {
        kernels.zero(optimizer);
        gradients.clear();
    }

    void update(const PipelineModel<float>& model)
    {
        model.update(stage, weights, gradients.sum(), optimizer, ++steps);
        gradients.clear();
    }

    std::span<const float> fullWeights() const
    {
        return engine::fullWeights(weights, optimizer, gradients.count());
    }

    StageId stage;
    std::span<std::byte> weights;
    std::span<float> optimizer;
    Gradients gradients;
    int steps = 0;
};

} // namespace engine
