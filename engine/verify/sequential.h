#pragma once

#include "engine/pipeline/stage_state.h"
#include "engine/plan/token_batches.h"

#include <cstdint>
#include <vector>

namespace engine {

// Trains micro-batches one at a time on one device, without schedule and executor: the reference
// for all synchronous schemes.
class SequentialTrainer
{
public:
    // `model` must have one stage. Model and kernels must outlive the trainer.
    SequentialTrainer(const PipelineModel<float>& model, const Kernels<float>& kernels,
                      std::uint64_t seed, Accumulate accumulate);

    // Accumulates the gradients of an iteration and returns the mean loss in nats per token. Each
    // micro-batch is divided into `units` equal parts of its samples; a pass of `model` processes
    // one part. Tied gradients are summed at the end.
    double accumulate(TokenBatches& batches, int microBatches, int units = 1);
    std::span<const float> gradients() { return m_state.gradients.sum(); }
    void update() { m_state.update(m_model); }
    std::span<const float> weights() const { return m_state.fullWeights(); }

private:
    // Adds the gradients of the tokens and returns their summed loss.
    double addUnit(TokenBatch tokens, double tokensOfIteration);

    const PipelineModel<float>& m_model;
    const Kernels<float>& m_kernels;
    StageSizes m_sizes;
    std::vector<std::byte> m_weights;
    std::vector<float> m_optimizer, m_gradients;
    std::vector<std::int64_t> m_sums; // only with exact accumulation
    StageState m_state;
    std::vector<std::byte> m_stash, m_workspace;
};

} // namespace engine
