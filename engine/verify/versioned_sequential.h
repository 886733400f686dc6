#pragma once

#include "engine/experiment/accumulate.h"
#include "engine/pipeline/stage_state.h"
#include "engine/plan/token_batches.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace engine {

// Which version of a stage's weights a micro-batch of a window uses, for its forward and for its
// backward; the first of a window is 0.
using VersionRule = std::function<int(int stage, int microBatch)>;

// As the papers have it, of `stages` stages on as many devices. PipeDream (SOSP 2019): stage s is
// stages-1-s updates behind, max(0, n - (stages-1-s)). PipeDream-2BW (ICML 2021): batch k of
// `updateEvery` micro-batches uses max(0, k - 1). None for other schemes.
VersionRule versionRule(std::string_view scheme, int stages, int updateEvery);

// Asynchronous training without a pipeline: one micro-batch after the other through all stages,
// every version of the weights that was ever made kept for the whole window. No schedule, no arena,
// no executor; what asynchronous schemes are compared with, bit for bit.
class VersionedTrainer
{
public:
    struct Setup
    {
        const PipelineModel<float>& model; // of as many stages as the pipeline; outlives it
        const Kernels<float>& kernels;
        std::uint64_t seed = 1;
        Accumulate accumulate = Accumulate::Float;
        VersionRule rule;
        int updateEvery = 1;
    };
    explicit VersionedTrainer(Setup setup);

    // One window; its mean loss, in nats per token. `microBatches` is a multiple of updateEvery.
    double train(TokenBatches& batches, int microBatches);

    // Of the last window: what the update was made from. [stage][update]
    const std::vector<std::vector<std::vector<float>>>& gradients() const { return m_updates; }
    std::span<const float> weights(StageId stage) const; // the newest

private:
    struct Stage
    {
        std::vector<std::vector<std::byte>> versions; // of the window so far
        std::vector<float> optimizer, gradients;
        std::vector<std::int64_t> sums;
        std::vector<std::byte> stash, output, inputGradient;
        int steps = 0;
    };

    Gradients gradientsOf(Stage& stage);
    double forward(TokenBatch tokens, int microBatch);
    void backward(TokenBatch tokens, int microBatch, float lossScale);
    void update();

    Setup m_setup;
    std::vector<Stage> m_stages;
    std::vector<std::vector<std::vector<float>>> m_updates;
    std::vector<std::byte> m_workspace;
};

} // namespace engine
