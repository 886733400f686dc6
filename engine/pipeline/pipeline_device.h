#pragma once

#include "engine/backend/kernels.h"
#include "engine/pipeline/arena.h"
#include "engine/pipeline/device_sums.h"
#include "engine/pipeline/stage_state.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/token_batches.h"

#include <functional>

namespace engine {

enum class Poison : std::uint8_t { No, Freed }; // whether freed memory is overwritten with NaN
#ifdef NDEBUG
constexpr Poison kDefaultPoison = Poison::No;
#else
constexpr Poison kDefaultPoison = Poison::Freed;
#endif

// Called in OPT before the step, with the reduced gradient of the stage, on the thread of its
// device.
using GradientObserver
    = std::function<void(int replica, StageId stage, std::span<const float> gradient)>;

// One device of a pipeline: executes the compute ops of its program in its arena. It neither
// waits nor communicates, and does not allocate after construction. One thread at a time.
class PipelineDevice
{
public:
    struct Setup
    {
        const Schedule& lowered;
        const PipelineModel<float>& unit; // a pass of one unit of a micro-batch
        const Kernels<float>& kernels;
        const ExecutionPlan& plan;
        std::uint64_t seed = 1;
        Accumulate accumulate = Accumulate::Float;
        Poison poison = kDefaultPoison;
        const Device* device = nullptr; // device of the arena, see Arena
    };
    // References in `setup` must outlive it.
    PipelineDevice(const Setup& setup, DeviceId id);

    // Takes its micro-batches from `first` on and resets the losses.
    void beginIteration(const TokenBatches& tokens, int first);
    // A compute op in two steps, of which only the first is timed.
    void compute(std::uint32_t position);
    void finish(std::uint32_t position);

    const Arena& arena() const { return m_arena; }
    const DevicePlan& plan() const { return m_plan; }
    StageState& stage(int replica, StageId stage);
    // Losses of this device's last stages, summed over tokens, after the ops have run.
    // [micro-batch]
    std::vector<double> losses() const { return m_losses.read(); }
    // Sum of the squared gradients of this device's optimizer steps, after the ops of an
    // iteration have run. Each parameter of the model counts once (replica 0 only, tied
    // embeddings in the first stage only).
    double squaresOfGradients() const { return m_squares.read().front(); }

    GradientObserver onGradient;
    // On a GPU: called in OPT before the gradient is read, which would otherwise block without a
    // time limit. Returns when all queued ops have ended, or throws.
    std::function<void()> awaitLane;

private:
    void initialize(const StagePlan& stage); // the last one made
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
    std::vector<StageState> m_stages; // as in the plan
    // Both ends of a tied model, where this device holds them. They step together in the later of
    // their OPTs, when both gradients are complete.
    struct TiedEmbeddings
    {
        std::size_t first = 0, last = 0; // indices of stages
        bool oneIsReady = false;
    };
    std::vector<TiedEmbeddings> m_tied;
    std::vector<std::vector<std::span<std::byte>>> m_earlier; // [position]
    TokenBatch m_tokens;                                      // of the iteration, in the arena
    std::size_t m_tokensPerMicroBatch = 0;
    float m_lossScale = 1;
    DeviceSums m_losses, m_squares;
};

} // namespace engine
