#pragma once

#include "engine/experiment/accumulate.h"
#include "engine/pipeline/stage_state.h"
#include "engine/plan/token_batches.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace engine {

// Returns the weight version that the forward and the backward of a micro-batch use in a stage.
// Micro-batches are numbered within the window; the first version is 0.
using VersionRule = std::function<int(int stage, int microBatch)>;

// Returns the version rule of a paper for `stages` stages on as many devices; empty for other
// schemes. PipeDream (SOSP 2019): stage s is stages-1-s updates behind, so micro-batch n uses
// version max(0, n - (stages-1-s)). PipeDream-2BW (ICML 2021), also for bitpipe-async: batch k of
// `updateEvery` micro-batches uses version max(0, k - 1).
VersionRule versionRule(std::string_view scheme, int stages, int updateEvery);

// Asynchronous training without a pipeline: runs micro-batches in sequence through all stages and
// keeps all weight versions of the window. It is the bit-for-bit reference for asynchronous
// schemes.
class VersionedTrainer
{
public:
    struct Setup
    {
        // Has as many stages as the pipeline; must outlive the trainer.
        const PipelineModel<float>& model;
        const Kernels<float>& kernels;
        std::uint64_t seed = 1;
        Accumulate accumulate = Accumulate::Float;
        VersionRule rule;
        int updateEvery = 1;
    };
    explicit VersionedTrainer(Setup setup);

    // Trains one window and returns its mean loss in nats per token. `microBatches` must be a
    // multiple of updateEvery.
    double train(TokenBatches& batches, int microBatches);

    // Returns the gradients of the last window, indexed by [stage][update].
    const IdVector<StageId, std::vector<std::vector<float>>>& gradients() const
    {
        return m_updates;
    }
    std::span<const float> weights(StageId stage) const; // the newest version

private:
    struct Stage
    {
        std::vector<std::vector<std::byte>> versions; // the weight versions of the window so far
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
    IdVector<StageId, Stage> m_stages;
    IdVector<StageId, std::vector<std::vector<float>>> m_updates;
    std::vector<std::byte> m_workspace;
};

} // namespace engine
