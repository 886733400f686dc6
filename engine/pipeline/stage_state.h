#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/pipeline/gradients.h"

namespace engine {

// The memory of a stage: weights as passes read them, optimizer state (StageSizes::optimizer()),
// gradients and, with exact accumulation, integer sums.
struct StageMemory
{
    std::span<std::byte> weights;
    std::span<float> optimizer, gradients;
    std::span<std::int64_t> sums = {};
};

// Returns the weights in full precision: the master weights if the optimizer state has them,
// otherwise `weights`.
inline std::span<const float> fullWeights(std::span<const std::byte> weights,
                                          std::span<const float> optimizer, std::size_t count)
{
    if (optimizer.size() > 2 * count) // it also has master weights
        return optimizer.first(count);
    return {reinterpret_cast<const float*>(weights.data()), count};
}

// The weights, gradient and optimizer state (initially 0) of a stage on one device. The memory must
// outlive the object.
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
