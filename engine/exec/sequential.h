#pragma once

#include "engine/exec/stage_state.h"
#include "engine/exec/token_batches.h"

#include <cstdint>

namespace engine {

// Plain training, one micro-batch after the other on one device: no schedule, no executor. What
// every scheme is compared with.
class SequentialTrainer
{
public:
    // `model` has one stage; both must outlive the trainer.
    SequentialTrainer(const PipelineModel<float>& model, const Kernels<float>& kernels,
                      std::uint64_t seed, Accumulate accumulate);

    // Adds the gradients of an iteration; its mean loss, in nats per token.
    double accumulate(TokenBatches& batches, int microBatches);
    std::span<const float> gradients() { return m_state.gradients.sum(); }
    void update() { m_state.update(m_model); }
    std::span<const float> weights() const { return m_state.weights; }

private:
    const PipelineModel<float>& m_model;
    StageState m_state;
    std::vector<float> m_stash, m_workspace;
};

} // namespace engine
