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

// A device of its own with the model's stages over its kernels.
struct ExecutorDevice
{
    const Device& device; // with a lane (engine/backend/device_queue.h)
    const PipelineModel<float>& unit;
};

// An op of the schedule by its place.
struct OpRef
{
    DeviceId device;
    std::uint32_t position = 0, op = 0; // in the device's list; OpIndex
    int copy = 0;                       // of the pipeline (data_parallel.h)
};

// The D devices of a pipeline in one process, connected; with data parallelism those of all its
// copies. It chooses neither order nor threads: executors do, each device from one thread at a
// time.
class Pipeline
{
public:
    struct Setup
    {
        const Schedule& lowered;          // checkRunnable() has passed
        const PipelineModel<float>& unit; // of as many stages: a pass of one unit (stash_plan.h)
        const Kernels<float>& kernels;
        std::uint64_t seed = 1;
        Accumulate accumulate = Accumulate::Float;
        Bytes tokenBytes = 0;
        Poison poison = kDefaultPoison;
        // An ALLREDUCE holds its device until it is through (SyncPolicy::EagerBlocking). Only where
        // every device has a thread of its own.
        bool blockingAllReduce = false;
        // Where the arenas lie, with `kernels` its own: a GPU that plays all devices on its lane.
        // None is this process's memory.
        const Device* device = nullptr;
        const ExecutionPlan* plan = nullptr; // of all this, where it was made already; copied
        // Where every device has a GPU of its own, or a part of one: [copy * D + device]. `unit`
        // and `kernels` are those of one of them, and `device` is none.
        std::vector<ExecutorDevice> executorDevices = {};
        Graphs graphs = Graphs::Auto; // on a GPU
        // With executorDevices on a GPU each: what joins them, where messages and sums go over
        // communicators instead of copies.
        MakeCommunicators communicators = {};
    };
    // Lays out and takes the memory, and initializes the weights. What `setup` refers to must
    // outlive it. std::bad_alloc; std::runtime_error where GPUs are not joined.
    Pipeline(const Setup& setup, InProcessTransport::SideLanes sideLanes);

    // While no device works. Copy c reads the micro-batches from c N on.
    void beginIteration(const TokenBatches& tokens);
    // The device's own (Setup::executorDevices); nullptr: its ops are done when compute() returns.
    const Device* executorDeviceOf(DeviceId id, int copy = 0) const;
    // The steps of an op, from the thread of its device. awaitInputs() and transfer() return false
    // when the transport was aborted.
    bool awaitInputs(OpRef ref);
    void compute(OpRef ref) { deviceOf(ref).compute(ref.position); } // of a compute op
    void finish(OpRef ref);
    bool transfer(OpRef ref); // SEND RECV EVICT LOAD ALLREDUCE

    // Everything in one step, from a thread that plays all devices in a valid order.
    void run(OpRef ref);

    std::vector<float> microBatchLoss() const; // nats per token, of the iteration: W N of them
    double loss() const;                       // mean of the iteration, nats per token
    // Euclidean, of the gradient of that mean over all parameters, as the optimizer got it. None
    // where an iteration has several updates, each with a gradient of its own.
    std::optional<double> gradientNorm() const;
    const ExecutionPlan& plan() const { return m_plan; }
    Graphs graphs() const { return m_setup.graphs; }
    const Schedule& lowered() const { return m_setup.lowered; }
    Transport& transport() { return *m_transport; }
    // For tests: something between the devices and what moves their tensors.
    void wrapTransport(
        const std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>& wrapper);
    int copies() const { return m_numbers.copies(); }
    PipelineDevice& device(DeviceId id, int copy = 0)
    {
        return *m_devices[indexOf(m_numbers.device(id, copy))];
    }
    const Op& at(OpRef ref) const { return m_setup.lowered.on(ref.device)[ref.position]; }
    // In full precision. Replicas are counted through all copies: 0, or 0 and 1, are those of the
    // first.
    std::span<const float> weights(int replica, StageId stage);
    std::size_t sideLanes() const { return m_sideLanes; }
    // On every device, of whose thread it is called, with replicas as in weights().
    void observeGradients(const GradientObserver& observer);
    // Whether the transport has passed what an op of this copy waits for.
    bool hasPassed(Fence fence, int copy) const
    {
        return m_transport->hasPassed(m_numbers.fence(fence, copy));
    }

    // Of an op that is not computed, when it was under way; a RECV with its SEND. And whether it is
    // through.
    TransferTime timeOf(OpRef ref) const;
    bool hasPassed(OpRef ref) const;

private:
    void makeDevices();
    void makeTransport(InProcessTransport::SideLanes sideLanes);
    std::vector<double> microBatchLosses() const;
    Traffic traffic() const;
    void addBuffers(int copy, Traffic& traffic) const;
    void addBuffers(int copy, const ExecutionPlan::PlannedCollective& planned,
                    Collective& collective) const;
    TransferTime timeOfReductions(std::span<const std::uint32_t> reductions) const;
    const OpPlan& planOf(OpRef ref) const;
    Fence fenceOf(OpRef ref) const; // passed at the end of a transfer between two devices
    PipelineDevice& deviceOf(OpRef ref) { return device(ref.device, ref.copy); }

    Setup m_setup;
    ExecutionPlan m_plan;
    CopyNumbers m_numbers;
    std::vector<std::unique_ptr<PipelineDevice>> m_devices; // [copy * D + device]
    std::size_t m_sideLanes = 0;
    std::unique_ptr<Transport> m_transport; // last: its threads use the devices' memory
    std::size_t m_tokensPerMicroBatch = 1;
};

// "device 2", of several copies "device 2 of copy 1".
std::string deviceWords(const Pipeline& pipeline, OpRef ref);
// "device 2, index 5, 2F3: out of cake".
std::string describeFault(const Pipeline& pipeline, OpRef ref, const std::exception& fault);

} // namespace engine
