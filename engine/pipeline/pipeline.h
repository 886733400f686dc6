#pragma once

#include "engine/backend/communicators.h"
#include "engine/backend/device.h"
#include "engine/backend/kernels.h"
#include "engine/experiment/run_options.h"
#include "engine/pipeline/stage_state.h"
#include "engine/plan/arena_layout.h"
#include "engine/plan/data_parallel.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/token_batches.h"
#include "engine/transport/in_process.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace engine {

// The memory of one device, initially filled with a pattern that is also a quiet NaN. The pattern
// shows which bytes were never written, and spoils results that use unwritten numbers.
class Arena
{
public:
    // Allocates on `device`, or for MemoryFor::Host on its host; the device must outlive the arena.
    // nullptr: host memory.
    explicit Arena(Bytes bytes, const Device* device = nullptr,
                   MemoryFor purpose = MemoryFor::Arena);

    // Bounds are checked with CHECK. On a GPU only kernels may read the bytes.
    std::span<std::byte> bytes(Extent extent) const;
    template<class Number>
    std::span<Number> of(Extent extent) const
    {
        const std::span<std::byte> part = bytes(extent);
        return {reinterpret_cast<Number*>(part.data()), part.size() / sizeof(Number)};
    }

    Bytes size() const { return m_size; }
    // Copy from host memory (write) or to host memory (read), after the ops queued so far.
    void write(Extent to, std::span<const std::byte> from) const;
    std::vector<std::byte> read(Extent from) const;

    // Counts the bytes in 64-byte lines that no longer hold the initial pattern. Lines that were
    // only poisoned count on the host, but not on a GPU, where poison() restores the initial
    // pattern. On a GPU, binds the calling thread to the device and waits for its ops.
    Bytes touched() const;
    // Fills an extent with NaN. Its size must be a multiple of 2 bytes.
    void poison(Extent extent) const;

private:
    void fill(Extent extent, std::uint16_t word) const;

    Bytes m_size = 0;
    const Device* m_device = nullptr;
    DeviceMemory m_memory;
};

// Sums in device memory (losses of micro-batches, squares of gradients). The ops of an iteration
// add to them, so that no op waits for the host. `device` must outlive the object; nullptr: host
// memory.
class DeviceSums
{
public:
    DeviceSums(int count, const Device* device)
        : m_device(device)
        , m_host(count)
    {
        if (device != nullptr)
            m_memory = device->allocate(m_host.size() * sizeof(double), MemoryFor::Losses);
    }

    // Sets all sums to 0, after the ops queued so far.
    void clear()
    {
        if (m_device == nullptr)
            std::ranges::fill(m_host, 0);
        else
            m_device->fill({m_memory.get(), m_host.size() * sizeof(double)}, std::byte{0});
    }
    double* of(std::size_t index)
    {
        return (m_device == nullptr ? m_host.data() : reinterpret_cast<double*>(m_memory.get()))
            + index;
    }
    // After the ops queued so far.
    std::vector<double> read() const
    {
        std::vector<double> sums = m_host;
        if (m_device != nullptr)
            m_device->download(m_memory.get(), std::as_writable_bytes(std::span(sums)));
        return sums;
    }

private:
    const Device* m_device;
    std::vector<double> m_host;
    DeviceMemory m_memory;
};

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
    const Arena& host() const { return m_host; } // evicted stashes in host memory
    const DevicePlan& plan() const { return m_plan; }
    StageState& stage(int replica, StageId stage);
    // The loss of each micro-batch, summed over tokens, on this device's last stages. Call it after
    // the ops have run.
    std::vector<double> losses() const { return m_losses.read(); }
    // The sum of the squared gradients of this device's optimizer steps. Each parameter of the
    // model counts once: in replica 0 only, and tied embeddings in the first stage only. Call it
    // after the ops have run.
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
    Arena m_arena, m_host;
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

// The hardware of one device of the schedule (a GPU or a partition), and the model with the kernels
// of this hardware.
struct ExecutorDevice
{
    const Device& device; // must have a queue (engine/backend/device_queue.h)
    const PipelineModel<float>& model;
};

// An op of one data-parallel pipeline.
struct OpRef
{
    DeviceId device;
    std::uint32_t position = 0, op = 0; // position in the device's program, and OpIndex
    int copy = 0;                       // index of the data-parallel pipeline (data_parallel.h)
};

// The D connected devices of a pipeline in one process; with data parallelism, the devices of all W
// pipelines. Executors choose the order of ops and the threads; one thread at a time may use a
// device.
class Pipeline
{
public:
    struct Setup
    {
        const Schedule& lowered; // requires checkRunnable()
        // The model, with as many stages as the schedule. A pass processes one unit of work: a
        // micro-batch, a slice or a half (UnitRange).
        const PipelineModel<float>& model;
        const Kernels<float>& kernels;
        std::uint64_t seed = 1;
        Accumulate accumulate = Accumulate::Float;
        Bytes tokenBytes = 0;
        Poison poison = kDefaultPoison;
        // An ALLREDUCE blocks its device until it is complete (SyncPolicy::EagerBlocking). Requires
        // one thread per device.
        bool blockingAllReduce = false;
        // The GPU that emulates all devices. It must be the GPU of `kernels` and of the arenas.
        // nullptr: the CPU.
        const Device* device = nullptr;
        // The plan for this setup, if it already exists. It is copied.
        const ExecutionPlan* plan = nullptr;
        // The GPU or partition of each device, if no two devices share one. `device` is then
        // nullptr, and `model` and `kernels` belong to one of these GPUs or partitions.
        IdVector<DeviceId, ExecutorDevice> executorDevices = {};
        Graphs graphs = Graphs::Auto; // only for GPUs
        // Joins NCCL communicators for messages and sums. Requires that every executor device is a
        // whole GPU. If empty, messages and sums use copies.
        MakeCommunicators communicators = {};
    };
    // Plans and allocates memory and initializes the weights. All objects that `setup` refers to
    // must outlive the pipeline. Throws std::bad_alloc, or std::runtime_error if communicators
    // cannot be joined.
    Pipeline(const Setup& setup, InProcessTransport::SideWork sideWork);

    // Requires that no device executes ops. Data-parallel pipeline c reads the N micro-batches from
    // index c * N on.
    void beginIteration(const TokenBatches& tokens);
    const Device* executorDeviceOf(DeviceId id, int copy = 0) const;
    // The steps of an op, called on the thread of its device. awaitInputs() and transfer() return
    // false if the transport was aborted.
    bool awaitInputs(OpRef ref);
    void compute(OpRef ref) { deviceOf(ref).compute(ref.position); } // executes a compute op
    void finish(OpRef ref);
    bool transfer(OpRef ref); // executes a SEND, RECV, EVICT, LOAD or ALLREDUCE

    // Runs all steps of an op, on a thread that runs all devices in a valid order.
    void run(OpRef ref);

    std::vector<float> microBatchLoss() const; // W x N values, in nats per token
    double loss() const;                       // mean of the iteration, nats per token
    // Of the gradient of loss() over all parameters, as the optimizer receives it; nullopt if an
    // iteration has several updates.
    std::optional<double> gradientNorm() const;
    const ExecutionPlan& plan() const { return m_plan; }
    Graphs graphs() const { return m_setup.graphs; }
    const Schedule& lowered() const { return m_setup.lowered; }
    Transport& transport() { return *m_transport; }
    // For tests.
    void wrapTransport(
        const std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>& wrapper);
    int copies() const { return m_numbers.copies(); }
    // Among the devices of all data-parallel pipelines.
    DeviceId numberOf(OpRef ref) const { return m_numbers.device(ref.device, ref.copy); }
    PipelineDevice& device(DeviceId id, int copy = 0)
    {
        return *m_devices[m_numbers.device(id, copy)];
    }
    const Op& at(OpRef ref) const { return m_setup.lowered.on(ref.device)[ref.position]; }
    // Weights in full precision. Replicas are numbered over all data-parallel pipelines: replica 0,
    // or replicas 0 and 1 of a bidirectional scheme, belong to the first pipeline.
    std::span<const float> weights(int replica, StageId stage);
    std::size_t sideThreads() const { return m_sideThreads; }
    // `observer` is called on the thread of every device, with replicas numbered as in weights().
    void observeGradients(const GradientObserver& observer);
    // Whether a fence of data-parallel pipeline `copy` has passed.
    bool hasPassed(Fence fence, int copy) const
    {
        return m_transport->hasPassed(m_numbers.fence(fence, copy));
    }

    // A RECV has the time of its SEND.
    TransferTime timeOf(OpRef ref) const;
    bool hasPassed(OpRef ref) const; // whether a transfer is complete

private:
    void makeDevices();
    void makeTransport(InProcessTransport::SideWork sideWork);
    std::vector<double> microBatchLosses() const;
    Traffic traffic() const;
    void addBuffers(int copy, Traffic& traffic) const;
    void addBuffers(int copy, const ExecutionPlan::PlannedCollective& planned,
                    Collective& collective) const;
    TransferTime timeOfReductions(std::span<const std::uint32_t> reductions) const;
    const OpPlan& planOf(OpRef ref) const;
    Fence fenceOf(OpRef ref) const; // the fence that passes when the transfer ends
    PipelineDevice& deviceOf(OpRef ref) { return device(ref.device, ref.copy); }

    Setup m_setup;
    ExecutionPlan m_plan;
    CopyNumbers m_numbers;
    // Devices of all data-parallel pipelines.
    IdVector<DeviceId, std::unique_ptr<PipelineDevice>> m_devices;
    std::size_t m_sideThreads = 0;
    // Last member, because the transport's threads use the memory of the devices.
    std::unique_ptr<Transport> m_transport;
    std::size_t m_tokensPerMicroBatch = 1;
};

// "device 2", or with several data-parallel pipelines "device 2 of copy 1".
std::string deviceText(const Pipeline& pipeline, OpRef ref);
// "device 2, index 5, 2F3: out of memory".
std::string describeFault(const Pipeline& pipeline, OpRef ref, const std::exception& fault);

} // namespace engine
