#pragma once

#include "engine/backend/bfloat16.h"
#include "engine/base/id.h"

#include <cstddef>
#include <cstdint>
#include <optional>
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

// What one pass of a stage over one micro-batch (or one slice of it) needs, in numbers as weights
// and activations are stored (bytes()); what is wider among them counts as several. An op's memory
// is what is alive after it:
//   F -> B or I: stash.   I -> W: the first weightStash numbers of what I worked on; the rest is
//   free.   With full recomputation F keeps only the stage's input: F -> RECOMPUTE: stash;
//   RECOMPUTE -> B or I: recomputed.
struct StageSizes
{
    std::size_t parameters = 0;
    std::size_t stash = 0;             // what F keeps
    std::size_t recomputed = 0;        // what RECOMPUTE makes of it; 0: there is no RECOMPUTE
    std::size_t weightStash = 0;       // what I leaves for W
    std::size_t input = 0, output = 0; // 0: the first stage reads tokens, the last one makes a loss
    std::size_t workspace = 0;         // during one op, whichever it is
    // What only some stages have: the last of weightStash, and the last of all that F keeps.
    std::size_t headKept = 0, headRest = 0;

    std::size_t numberBytes = sizeof(float);
    // Weights in full precision that the optimizer has beside rounded ones, as gradients are: as
    // many as parameters, or none.
    std::size_t masters = 0;

    std::size_t bytes(std::size_t numbers) const { return numbers * numberBytes; }
    // Master weights, then two moments: numbers as gradients are.
    std::size_t optimizer() const { return masters + 2 * parameters; }
};

// Passes are stated for numbers of one kind; executors, which do not care which, give them memory:
// Number is std::byte.

// A stash may lie in up to four pieces, since the halves of a backward free it in two, and since
// pieces that are equal on all stages of a device fit where the others were. The first piece is
// what the passes call stash (or recomputed): weightStash without headKept. The others lie here:
// headKept, the rest without headRest, headRest. nullptr: behind the piece before. Slices need them
// in one.
template<class Number>
struct StashPieces
{
    Number *headKept = nullptr, *rest = nullptr, *headRest = nullptr;
};

// Floating-point operations of one pass. A whole backward is both of its halves.
struct StageFlops
{
    double forward = 0, backwardInput = 0, backwardWeight = 0, recompute = 0;
};

// The tokens of one micro-batch, (samples x sequence) each; a target is the token after.
struct TokenBatch
{
    std::span<const std::int32_t> inputs, targets;
};

// Sequence slices (Seq1F1B): a pass works on slice `index` of every sample; its queries see the
// keys and values of the slices before it, which lie in their stashes.
struct SequenceSlice
{
    int index = 0;
    // Of slices 0 .. index - 1 of the same micro-batch on this stage, alive. F reads them; B or I
    // reads them and adds to the gradients of their keys and values, so backwards run from the last
    // slice to the first.
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
    // The last stage adds the summed loss of the micro-batch here, in nats; in the memory that the
    // kernels work on.
    double* loss = nullptr;
};

template<class Number>
struct RecomputePass
{
    std::span<const Number> weights, stash;
    std::span<Number> recomputed, workspace;
    TokenBatch tokens;
    StashPieces<Number> pieces = {}; // of what is recomputed
};

// Of B and of I. The stash (the recomputed one, where there is one) is read and written: gradients
// take the place of what nothing needs any more, so it serves once.
template<class Number, class Gradient = Wide<Number>>
struct BackwardPass
{
    std::span<const Number> weights;
    std::span<Number> stash;
    std::span<const Number> outputGradient;
    std::span<Number> inputGradient;
    std::span<Gradient> gradients; // added to
    std::span<Number> workspace;
    TokenBatch tokens;
    Gradient lossScale = 1;
    SequenceSlice slice = {};
    StashPieces<Number> pieces = {};
};

// Of W: what I left, the first StageSizes::weightStash numbers of its stash.
template<class Number, class Gradient = Wide<Number>>
struct WeightPass
{
    std::span<const Number> stash;
    std::span<Gradient> gradients;    // added to
    const Number* headKept = nullptr; // as of StashPieces
};

// Two stages' parameters that are one tensor (a tied head). Both start equal, and stay so as long
// as each update sees the sum of both gradients: executors add them up before OPT.
struct TiedParameters
{
    StageId first, last;
    std::size_t firstOffset = 0, lastOffset = 0, count = 0;
};

// A model cut into stages, as executors see it: sizes, and the passes of one stage over memory that
// the executor owns. Weights, stashes and messages are memory, which holds what the model's
// precision says; gradients are numbers: float in training, double for finite differences. Holds no
// state of a run; any thread; allocates nothing in a pass.
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
    // In this process's memory. `masters`: of StageSizes::masters numbers.
    virtual void initialize(StageId stage, std::uint64_t seed, std::span<std::byte> weights,
                            std::span<Gradient> masters) const = 0;

    virtual void forward(StageId stage, const ForwardPass<std::byte>& pass) const = 0;
    // F again, from what it kept. Only where sizes().recomputed says so.
    virtual void recompute(StageId, const RecomputePass<std::byte>&) const { }
    // B, and the same in two: I then W equals B bit for bit. Each tensor's gradient is made by
    // either I (norms, embedding) or W (matrices, biases), never by both.
    virtual void backward(StageId stage, const BackwardPass<std::byte, Gradient>& pass) const = 0;
    virtual void backwardInput(StageId stage,
                               const BackwardPass<std::byte, Gradient>& pass) const = 0;
    virtual void backwardWeight(StageId stage,
                                const WeightPass<std::byte, Gradient>& pass) const = 0;
    // d(objective) / d(summed loss) of an iteration of `tokens` tokens: 1 / tokens for a mean.
    virtual Gradient lossScale(double tokens) const = 0;
    // One optimizer step; `optimizer` is of StageSizes::optimizer() numbers. `step` from 1.
    virtual void update(StageId stage, std::span<std::byte> weights,
                        std::span<const Gradient> gradients, std::span<Gradient> optimizer,
                        int step) const = 0;
};

} // namespace engine
