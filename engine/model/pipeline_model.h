#pragma once

#include "engine/backend/bfloat16.h"
#include "engine/base/id_vector.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

// A tensor of a stage's parameters, which are one array.
struct Parameter
{
    enum class Init : std::uint8_t { Zero, One, Normal };

    // name in the whole model, "block3.qkv.weight"; independent of the stage split
    std::string name;
    std::size_t offset = 0, count = 0;
    Init init = Init::Normal;
    bool decays = false; // weight decay applies to matrices, not to biases and norms
};

// What one pass of a stage over one micro-batch (or one slice of it) needs, in numbers as weights
// and activations are stored (bytes()); what is wider among them counts as several. An op's memory
// is what is alive after it:
//   F -> B or I: stash.   I -> W: the first weightStash numbers of what I worked on; the rest is
//   free.   With full recomputation F keeps only the stage's input: F -> RECOMPUTE: stash;
//   RECOMPUTE -> B or I: recomputed.
struct StageSizes
{
    std::size_t parameters = 0;
    std::size_t stash = 0;       // bytes kept by F
    std::size_t recomputed = 0;  // result of RECOMPUTE; 0: no RECOMPUTE
    std::size_t weightStash = 0; // kept by I for W
    std::size_t input = 0,
                output = 0;    // 0: the first stage reads tokens, the last one computes a loss
    std::size_t workspace = 0; // maximum over the ops
    // Parts that only some stages have: the end of weightStash, and the end of what F keeps.
    std::size_t headKept = 0, headRest = 0;

    std::size_t numberBytes = sizeof(float);
    // Master weights of the optimizer, in numbers as gradients have; `parameters` or 0.
    std::size_t masters = 0;

    std::size_t bytes(std::size_t numbers) const { return numbers * numberBytes; }
    // Master weights and two moments, in numbers as gradients have.
    std::size_t optimizer() const { return masters + 2 * parameters; }
};

// Passes are templates over the stored type; executors pass memory without a type: Number is
// std::byte.

// A stash may have up to four pieces, because the two parts of a backward free it separately,
// and because pieces that are equal on all stages of a device reuse the same memory. The first
// piece is the stash (or recomputed) of a pass: weightStash without headKept. The other pieces
// are headKept, the rest without headRest, and headRest; nullptr: directly after the previous
// piece. Slices require a single piece.
template<class Number>
struct StashPieces
{
    Number *headKept = nullptr, *rest = nullptr, *headRest = nullptr;
};

// Floating-point operations of one pass. A whole backward is the sum of both parts.
struct StageFlops
{
    double forward = 0, backwardInput = 0, backwardWeight = 0, recompute = 0;
};

// The tokens of one micro-batch, (samples x sequence); a target is the next token.
struct TokenBatch
{
    std::span<const std::int32_t> inputs, targets;
};

// Sequence slices (Seq1F1B): a pass processes slice `index` of every sample; its queries attend
// to keys and values of earlier slices, which are in their stashes.
struct SequenceSlice
{
    int index = 0;
    // Live stashes of slices 0 .. index - 1 of the same micro-batch on this stage. F reads them;
    // B or I reads them and adds to the gradients of their keys and values, so backwards run
    // from the last slice to the first.
    std::span<const std::span<std::byte>> earlierStashes = {};
};

template<class Number>
struct ForwardPass
{
    std::span<const Number> weights, input;
    std::span<Number> stash, output, workspace;
    TokenBatch tokens;
    SequenceSlice slice = {};
    StashPieces<Number> pieces = {};
    // The last stage adds the summed loss of the micro-batch here, in nats; memory of the
    // kernels' device.
    double* loss = nullptr;
};

template<class Number>
struct RecomputePass
{
    std::span<const Number> weights, stash;
    std::span<Number> recomputed, workspace;
    TokenBatch tokens;
    StashPieces<Number> pieces = {}; // of the recomputed stash
};

// Of B and of I. The stash (recomputed, if applicable) is read and overwritten by gradients, so
// it can be used once.
template<class Number, class Gradient = Wide<Number>>
struct BackwardPass
{
    std::span<const Number> weights;
    std::span<Number> stash;
    std::span<const Number> outputGradient;
    std::span<Number> inputGradient;
    std::span<Gradient> gradients; // accumulated
    std::span<Number> workspace;
    TokenBatch tokens;
    Gradient lossScale = 1;
    SequenceSlice slice = {};
    StashPieces<Number> pieces = {};
};

// Of W: the first StageSizes::weightStash numbers of the stash, as left by I.
template<class Number, class Gradient = Wide<Number>>
struct WeightPass
{
    std::span<const Number> stash;
    std::span<Gradient> gradients;    // accumulated
    const Number* headKept = nullptr; // see StashPieces
};

// Parameters of two stages that are one tensor (tied embeddings). They start equal and stay
// equal if each update uses the sum of both gradients; executors add the gradients before OPT.
struct TiedParameters
{
    StageId first, last;
    std::size_t firstOffset = 0, lastOffset = 0, count = 0;
};

// A model divided into stages, as executors see it: sizes, and the passes of one stage over
// memory owned by the executor. Weights, stashes and messages are bytes in the model's
// precision. Gradients are typed: float in training, double for finite differences. Has no state
// of a run; thread-safe; passes do not allocate.
template<class Gradient>
class PipelineModel
{
public:
    PipelineModel() = default;
    PipelineModel(const PipelineModel&) = delete;
    PipelineModel& operator=(const PipelineModel&) = delete;
    virtual ~PipelineModel() = default;

    virtual int stages() const = 0;
    virtual StageSizes sizes(StageId stage) const = 0;
    virtual StageFlops flops(StageId stage) const = 0;
    virtual std::span<const Parameter> parameters(StageId stage) const = 0;
    virtual std::optional<TiedParameters> tied() const { return {}; }
    // Writes to host memory. `masters` has StageSizes::masters numbers.
    virtual void initialize(StageId stage, std::uint64_t seed, std::span<std::byte> weights,
                            std::span<Gradient> masters) const = 0;

    virtual void forward(StageId stage, const ForwardPass<std::byte>& pass) const = 0;
    // Repeats F from what it kept. Only if sizes().recomputed is not 0.
    virtual void recompute(StageId, const RecomputePass<std::byte>&) const { }
    // B, and the same as two parts: I then W give the same bits as B. The gradient of each
    // tensor is computed by either I (norms, embedding) or W (matrices, biases).
    virtual void backward(StageId stage, const BackwardPass<std::byte, Gradient>& pass) const = 0;
    virtual void backwardInput(StageId stage,
                               const BackwardPass<std::byte, Gradient>& pass) const = 0;
    virtual void backwardWeight(StageId stage,
                                const WeightPass<std::byte, Gradient>& pass) const = 0;
    // d(objective) / d(summed loss) of an iteration of `tokens` tokens: 1 / tokens for a mean.
    virtual Gradient lossScale(double tokens) const = 0;
    // One optimizer step; `optimizer` has StageSizes::optimizer() numbers. `step` counts from 1.
    virtual void update(StageId stage, std::span<std::byte> weights,
                        std::span<const Gradient> gradients, std::span<Gradient> optimizer,
                        int step) const = 0;
};

} // namespace engine
