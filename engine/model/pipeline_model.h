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

// A tensor of a stage. All parameters of a stage form one array.
struct Parameter
{
    enum class Init : std::uint8_t { Zero, One, Normal };

    // The name in the whole model: "block3.qkv.weight"; independent of the stage split.
    std::string name;
    std::size_t offset = 0, count = 0;
    Init init = Init::Normal;
    bool decays = false; // whether weight decay applies: to matrices, not to biases and norms
};

// The memory that one pass of a stage over one micro-batch (or one slice of it) needs. Sizes are in
// numbers of the storage type (bytes() converts them); a number of a wider type takes the place of
// several. The following memory is held between ops:
//   from F to B or I: `stash`
//   from I to W:      the first `weightStash` numbers of the stash that op I used
// With full recomputation F keeps only the input of the stage:
//   from F to RECOMPUTE:      `stash`
//   from RECOMPUTE to B or I: `recomputed`
struct StageSizes
{
    std::size_t parameters = 0;
    std::size_t stash = 0;       // kept by F
    std::size_t recomputed = 0;  // produced by RECOMPUTE; 0: no RECOMPUTE
    std::size_t weightStash = 0; // kept by op I for op W
    std::size_t input = 0,
                output = 0;    // 0: the first stage has no input, the last no output
    std::size_t workspace = 0; // the maximum over all ops
    // The parts of the stash that belong to the head, on the last stage; 0 on other stages.
    // headKept is at the end of weightStash, headRest at the end of `stash` (or of `recomputed`).
    std::size_t headKept = 0, headRest = 0;

    std::size_t numberBytes = sizeof(float);
    // The number of master weights: `parameters`, or 0 without master weights. Unlike the sizes
    // above, it is in numbers of the gradient type.
    std::size_t masters = 0;

    std::size_t bytes(std::size_t numbers) const { return numbers * numberBytes; }
    // The size of the optimizer state (master weights and two moments) in numbers of the gradient
    // type.
    std::size_t optimizer() const { return masters + 2 * parameters; }
};

// Passes are templates over the storage type. Executors do not know the storage type and use passes
// of std::byte.

// The pieces of a stash (or of a recomputed stash), so that the stages of a device can reuse the
// memory of pieces of equal size. In order:
//   1. the first weightStash - headKept numbers, freed by op W
//   2. headKept numbers, freed by op W
//   3. the numbers between weightStash and headRest, freed by op I
//   4. headRest numbers, freed by op I
// A piece whose pointer is nullptr directly follows the previous piece. With slices the stash must
// be one piece.
template<class Number>
struct StashPieces
{
    Number *headKept = nullptr, *rest = nullptr, *headRest = nullptr;
};

// Floating-point operations of one pass. A whole backward is the sum of backwardInput and
// backwardWeight.
struct StageFlops
{
    double forward = 0, backwardInput = 0, backwardWeight = 0, recompute = 0;
};

// The tokens of one micro-batch, (samples x sequence). The target of a token is the next token; for
// BERT see text_data.h. For a ViT, the bytes of the patches, and the class of each sample
// (image_data.h).
struct TokenBatch
{
    std::span<const std::int32_t> inputs, targets;
};

// Sequence slices (Seq1F1B): a pass processes slice `index` of every sample. The queries of the
// slice also attend to the keys and values of earlier slices, which are in the stashes of the
// earlier passes.
struct SequenceSlice
{
    int index = 0;
    // The stashes of slices 0 .. index - 1 of the same micro-batch on this stage. F reads them. B
    // or I reads them and adds to the gradients of their keys and values, so backwards must run
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
    // The last stage adds the summed loss of the micro-batch (in nats) to this number in device
    // memory.
    double* loss = nullptr;
};

template<class Number>
struct RecomputePass
{
    std::span<const Number> weights, stash;
    std::span<Number> recomputed, workspace;
    TokenBatch tokens;
    StashPieces<Number> pieces = {}; // pieces of the recomputed stash
};

// A pass of B or I. It overwrites the stash (the recomputed one, if any) with gradients, so a stash
// can be used only once.
template<class Number, class Gradient = Wide<Number>>
struct BackwardPass
{
    std::span<const Number> weights;
    std::span<Number> stash;
    std::span<const Number> outputGradient;
    std::span<Number> inputGradient;
    std::span<Gradient> gradients; // the pass adds to these
    std::span<Number> workspace;
    TokenBatch tokens;
    Gradient lossScale = 1;
    SequenceSlice slice = {};
    StashPieces<Number> pieces = {};
};

// A pass of op W. `stash` has the first StageSizes::weightStash numbers of the stash, with the
// gradients that op I wrote.
template<class Number, class Gradient = Wide<Number>>
struct WeightPass
{
    std::span<const Number> stash;
    std::span<Gradient> gradients;    // the pass adds to these
    const Number* headKept = nullptr; // see StashPieces
};

// Parameters of two stages that are one tensor (tied embeddings). The two copies stay equal,
// because each update uses the sum of both gradients, which executors compute before OPT.
struct TiedParameters
{
    StageId first, last;
    std::size_t firstOffset = 0, lastOffset = 0, count = 0;
};

// A model divided into stages, as seen by executors. The model states the sizes of each stage and
// runs passes over memory that the executor owns. Weights, stashes and messages are bytes in the
// model's precision. Gradients are typed: float in training, double for finite differences. Passes
// do not allocate. Thread-safe, because a model has no mutable state.
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
    // Writes initial weights to host memory. `masters` has StageSizes::masters numbers.
    virtual void initialize(StageId stage, std::uint64_t seed, std::span<std::byte> weights,
                            std::span<Gradient> masters) const = 0;

    virtual void forward(StageId stage, const ForwardPass<std::byte>& pass) const = 0;
    // Repeats F from its stash. Requires that sizes().recomputed is not 0.
    virtual void recompute(StageId, const RecomputePass<std::byte>&) const { }
    // backward() runs B. backwardInput() (I) followed by backwardWeight() (W) gives the same bits.
    // Op I computes the gradients of norms and embeddings, op W of matrices and biases.
    virtual void backward(StageId stage, const BackwardPass<std::byte, Gradient>& pass) const = 0;
    virtual void backwardInput(StageId stage,
                               const BackwardPass<std::byte, Gradient>& pass) const = 0;
    virtual void backwardWeight(StageId stage,
                                const WeightPass<std::byte, Gradient>& pass) const = 0;
    // d(objective) / d(summed loss) for an iteration of `tokens` tokens: 1 / tokens if the
    // objective is the mean.
    virtual Gradient lossScale(double tokens) const = 0;
    // Runs one optimizer step. `optimizer` has StageSizes::optimizer() numbers; `step` counts
    // from 1.
    virtual void update(StageId stage, std::span<std::byte> weights,
                        std::span<const Gradient> gradients, std::span<Gradient> optimizer,
                        int step) const = 0;
};

} // namespace engine
