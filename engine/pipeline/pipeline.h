#pragma once

#include "engine/backend/communicators.h"
#include "engine/experiment/graphs.h"
#include "engine/pipeline/pipeline_device.h"
#include "engine/plan/data_parallel.h"
#include "engine/transport/in_process.h"

#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace engine {

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
    // Returns the executor device of a device; nullptr if the setup has no executor devices.
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
    // Returns the Euclidean norm of the gradient of loss() over all parameters, as the optimizer
    // receives it; nullopt if an iteration has several updates.
    std::optional<double> gradientNorm() const;
    const ExecutionPlan& plan() const { return m_plan; }
    Graphs graphs() const { return m_setup.graphs; }
    const Schedule& lowered() const { return m_setup.lowered; }
    Transport& transport() { return *m_transport; }
    // Wraps the transport, for tests.
    void wrapTransport(
        const std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>& wrapper);
    int copies() const { return m_numbers.copies(); }
    // Returns the number of the op's device among the devices of all data-parallel pipelines.
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

    // Returns the time of a transfer. A RECV has the time of its SEND.
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

// Returns "device 2", or with several data-parallel pipelines "device 2 of copy 1".
std::string deviceText(const Pipeline& pipeline, OpRef ref);
// Returns the message of `fault` with its op: "device 2, index 5, 2F3: out of memory".
std::string describeFault(const Pipeline& pipeline, OpRef ref, const std::exception& fault);

} // namespace engine
