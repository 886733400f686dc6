#pragma once

#include "engine/backend/device.h"
#include "engine/experiment/run_options.h"
#include "engine/pipeline/stage_state.h"
#include "engine/plan/token_batches.h"
#include "engine/verify/verify.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace engine {

// The references train without schedule and executor, one micro-batch at a time, so that a fault of
// a pass or an executor cannot be in both.

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

// The weight version that the forward and the backward of a micro-batch use in a stage.
// Micro-batches are numbered within the window; the first version is 0.
using VersionRule = std::function<int(int stage, int microBatch)>;

// For `stages` stages on as many devices; empty for other schemes. PipeDream (SOSP 2019): stage s
// is stages-1-s updates behind, so micro-batch n uses version max(0, n - (stages-1-s)).
// PipeDream-2BW (ICML 2021), also for bitpipe-async: batch k of `updateEvery` micro-batches uses
// version max(0, k - 1).
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

    // By [stage][update], of the last window.
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

// Computes reference gradients for a scheme by training without schedule and executors.
class GradientReference
{
public:
    GradientReference() = default;
    GradientReference(const GradientReference&) = delete;
    GradientReference& operator=(const GradientReference&) = delete;
    virtual ~GradientReference() = default;

    // Trains one iteration with the micro-batches of all data-parallel pipelines. Returns the mean
    // loss of the iteration in nats per token.
    virtual double train(TokenBatches& uncut) = 0;
    // Of the last iteration; `update` is 0 in a synchronous scheme.
    virtual std::span<const float> gradient(StageId stage, std::size_t update) const = 0;
};

struct ReferenceSetup
{
    const Schedule& lowered;
    const PassSpec& pass;
    const Device& device; // must outlive the reference; requires checkPrecision()
    std::uint64_t seed = 1;
    Accumulate accumulate = Accumulate::Exact;
};
// Makes a SequentialTrainer for synchronous schemes and a VersionedTrainer for asynchronous ones.
// Fails with Error::Code::Unsupported if the version rule of the scheme is unknown.
Result<std::unique_ptr<GradientReference>> makeReference(const ReferenceSetup& setup);

} // namespace engine
