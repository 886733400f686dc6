#pragma once

#include "engine/backend/kernels.h"
#include "engine/pipeline/arena.h"
#include "engine/pipeline/device_sums.h"
#include "engine/pipeline/stage_state.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/token_batches.h"

#include <functional>

namespace engine {

enum class Poison : std::uint8_t { No, Freed }; // Freed: freed memory is overwritten with NaN
#ifdef NDEBUG
constexpr Poison kDefaultPoison = Poison::No;
#else
constexpr Poison kDefaultPoison = Poison::Freed;
#endif

// Called in OPT before the step, with the reduced gradient of the stage, on the thread of the
// device.
using GradientObserver
    = std::function<void(int replica, StageId stage, std::span<const float> gradient)>;

// One device of a pipeline, which executes the compute ops of its program in its arena. It neither
// waits nor communicates, and allocates only in the constructor. Not thread-safe.
class PipelineDevice
{
public:
    struct Setup
    {
        const Schedule& lowered;
        const PipelineModel<float>& model; // a pass processes one unit of work (UnitRange)
        const Kernels<float>& kernels;
        const ExecutionPlan& plan;
        std::uint64_t seed = 1;
        Accumulate accumulate = Accumulate::Float;
        Poison poison = kDefaultPoison;
        const Device* device = nullptr; // device of the arena (see Arena)
    };
    // All objects that `setup` refers to must outlive the device.
    PipelineDevice(const Setup& setup, DeviceId id);

    // Reads micro-batches from index `first` on, and resets the losses.
    void beginIteration(const TokenBatches& tokens, int first);
    // The two steps of a compute op. Only compute() is timed.
    void compute(std::uint32_t position);
    void finish(std::uint32_t position);

    const Arena& arena() const { return m_arena; }
    const DevicePlan& plan() const { return m_plan; }
    StageState& stage(int replica, StageId stage);
    // Returns the loss of each micro-batch, summed over tokens, on this device's last stages. Call
    // it after the ops have run.
    std::vector<double> losses() const { return m_losses.read(); }
    // Returns the sum of the squared gradients of this device's optimizer steps, after the ops of
    // an iteration have run. Each parameter of the model counts once: in replica 0 only, and tied
    // embeddings in the first stage only.
    double squaresOfGradients() const { return m_squares.read().front(); }

    GradientObserver onGradient;
    // On a GPU, called in OPT before the host reads the gradient, because the read would block
    // without a time limit. Must return when all queued ops have ended, or throw.
    std::function<void()> awaitQueue;

private:
    // Requires that m_stages.back() is the state of `stage`.
    void initialize(const StagePlan& stage);
    void findTiedEmbeddings();
    std::span<std::byte> unitPart(Extent extent, int unit, int units) const;
    StashPieces<std::byte> piecesOf(const StashPlace& stash) const;
    TokenBatch tokensOf(const Op& op, int unit) const;
    SequenceSlice sliceOf(std::uint32_t position, const Op& op) const;
    std::span<const std::byte> weightsOf(std::uint32_t position, const Op& op);
    void update(std::uint32_t position, const Op& op);
    bool updateTied(const Op& op);
    void step(StageState& stage, int replica);
    void addSquares(StageState& stage);
    void tellGradient(StageState& stage, int replica);
    void forward(std::uint32_t position, const Op& op);
    void backward(std::uint32_t position, const Op& op);
    void backwardWeight(std::uint32_t position, const Op& op);
    void recompute(std::uint32_t position, const Op& op);

    Setup m_setup;
    DeviceId m_id;
    const DevicePlan& m_plan;
    bool m_halves = false;
    Arena m_arena;
    std::vector<StageState> m_stages; // in the order of DevicePlan::stages
    // The two stages of tied embeddings, if this device holds both. They are updated together in
    // the later of their two OPTs, when both gradients are complete.
    struct TiedEmbeddings
    {
        std::size_t first = 0, last = 0; // indices into m_stages
        bool oneIsReady = false;
    };
    std::vector<TiedEmbeddings> m_tied;
    std::vector<std::vector<std::span<std::byte>>> m_earlier; // [position] see OpPlan::earlier
    TokenBatch m_tokens; // tokens of the iteration, in the arena
    std::size_t m_tokensPerMicroBatch = 0;
    float m_lossScale = 1;
    DeviceSums m_losses, m_squares;
};

} // namespace engine
