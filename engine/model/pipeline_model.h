#pragma once

#include "engine/base/id.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace engine {

// One tensor among the parameters of a stage, which lie in one array.
struct Parameter
{
    enum class Init : std::uint8_t { Zero, One, Normal };

    std::string name; // of the whole model, "block3.qkv.weight": the same under every stage split
    std::size_t offset = 0, count = 0;
    Init init = Init::Normal;
    bool decays = false; // weight decay is for matrices, not for biases and norms
};

// What a stage needs, in numbers (multiply by the size of Real).
struct StageSizes
{
    std::size_t parameters = 0;
    std::size_t stash = 0;             // from F to B of one micro-batch
    std::size_t input = 0, output = 0; // 0: the first stage reads tokens, the last one makes a loss
    std::size_t workspace = 0;         // during one op
};

// The tokens of one micro-batch, (samples x sequence) each; a target is the token after.
struct TokenBatch
{
    std::span<const std::int32_t> inputs, targets;
};

template<class Real>
struct ForwardPass
{
    std::span<const Real> weights, input;
    std::span<Real> stash, output, workspace;
    TokenBatch tokens;
};

template<class Real>
struct BackwardPass
{
    std::span<const Real> weights, stash, outputGradient;
    std::span<Real> inputGradient, gradients, workspace; // gradients are added to
    TokenBatch tokens;
    Real lossScale = 1;
};

// A model cut into stages, as executors see it: sizes, and the passes of one stage over memory that
// the executor owns. Holds no state of a run; any thread.
template<class Real>
class PipelineModel
{
public:
    PipelineModel() = default;
    PipelineModel(const PipelineModel&) = delete;
    PipelineModel& operator=(const PipelineModel&) = delete;
    virtual ~PipelineModel() = default;

    virtual int stages() const = 0;
    virtual StageSizes sizes(StageId stage) const = 0;
    virtual std::span<const Parameter> parameters(StageId stage) const = 0;
    virtual void initialize(StageId stage, std::uint64_t seed, std::span<Real> weights) const = 0;

    // The summed loss of the micro-batch on the last stage, in nats; 0 elsewhere.
    virtual double forward(StageId stage, const ForwardPass<Real>& pass) const = 0;
    virtual void backward(StageId stage, const BackwardPass<Real>& pass) const = 0;
    // d(objective) / d(summed loss) of an iteration of `tokens` tokens: 1 / tokens for a mean.
    virtual Real lossScale(double tokens) const = 0;
    // Of one micro-batch; a backward is twice as much.
    virtual double forwardFlops(StageId stage) const = 0;
    // One optimizer step; `state` is two moments, each as long as the weights. `step` from 1.
    virtual void update(StageId stage, std::span<Real> weights, std::span<const Real> gradients,
                        std::span<Real> state, int step) const = 0;
};

} // namespace engine
