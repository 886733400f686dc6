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
    const Device& device; // with a queue (engine/backend/device_queue.h)
    const PipelineModel<float>& unit;
};

// An op and its position in the schedule.
struct OpRef
{
    DeviceId device;
    std::uint32_t position = 0, op = 0; // in the device's list; OpIndex
    int copy = 0;                       // of the pipeline (data_parallel.h)
};

// The D connected devices of a pipeline in one process; with data parallelism those of all
// copies. Executors choose order and threads; each device is used by one thread at a time.
class Pipeline
{
public:
    struct Setup
    {
        const Schedule& lowered; // requires checkRunnable()
        // with as many stages; a pass of one unit of work (stash_plan.h)
        const PipelineModel<float>& unit;
        const Kernels<float>& kernels;
        std::uint64_t seed = 1;
        Accumulate accumulate = Accumulate::Float;
        Bytes tokenBytes = 0;
        Poison poison = kDefaultPoison;
        // An ALLREDUCE blocks its device until it is complete (SyncPolicy::EagerBlocking).
        // Requires one thread per device.
        bool blockingAllReduce = false;
        // The device of the arenas and of `kernels`: a GPU that emulates all devices. nullptr:
        // host memory.
        const Device* device = nullptr;
        const ExecutionPlan* plan = nullptr; // of all this, where it was made already; copied
        // Where every device has a GPU of its own, or a part of one: numbered by CopyNumbers.
        // `unit` and `kernels` are those of one of them, and `device` is none.
        IdVector<DeviceId, ExecutorDevice> executorDevices = {};
        Graphs graphs = Graphs::Auto; // on a GPU
        // With executorDevices on a GPU each: what joins them, where messages and sums go over
        // communicators instead of copies.
        MakeCommunicators communicators = {};
    };
    // Plans and allocates memory and initializes the weights. References in `setup` must outlive
    // it. Throws std::bad_alloc, or std::runtime_error if GPUs cannot be joined.
    Pipeline(const Setup& setup, InProcessTransport::SideLanes sideLanes);

    // Call while no device is working. Copy c reads N micro-batches, from index c * N.
    void beginIteration(const TokenBatches& tokens);
    // The executor device of a device; nullptr if its ops are complete when compute() returns.
    const Device* executorDeviceOf(DeviceId id, int copy = 0) const;
    // The steps of an op, from the thread of its device. awaitInputs() and transfer() return false
    // when the transport was aborted.
    bool awaitInputs(OpRef ref);
    void compute(OpRef ref) { deviceOf(ref).compute(ref.position); } // for compute ops
    void finish(OpRef ref);
    bool transfer(OpRef ref); // for SEND RECV EVICT LOAD ALLREDUCE

    // All steps of an op, on a thread that runs all devices in a valid order.
    void run(OpRef ref);

    std::vector<float> microBatchLoss() const; // nats per token, of the iteration: W N values
    double loss() const;                       // mean of the iteration, nats per token
    // Euclidean norm of the gradient of that mean over all parameters, as passed to the
    // optimizer. None if an iteration has several updates.
    std::optional<double> gradientNorm() const;
    const ExecutionPlan& plan() const { return m_plan; }
    Graphs graphs() const { return m_setup.graphs; }
    const Schedule& lowered() const { return m_setup.lowered; }
    Transport& transport() { return *m_transport; }
    // For tests: wraps the transport.
    void wrapTransport(
        const std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>& wrapper);
    int copies() const { return m_numbers.copies(); }
    // Numbers the devices of all copies.
    DeviceId numberOf(OpRef ref) const { return m_numbers.device(ref.device, ref.copy); }
    PipelineDevice& device(DeviceId id, int copy = 0)
    {
        return *m_devices[m_numbers.device(id, copy)];
    }
    const Op& at(OpRef ref) const { return m_setup.lowered.on(ref.device)[ref.position]; }
    // In full precision. Replicas are numbered over all copies: 0, or 0 and 1, are those of the
    // first.
    std::span<const float> weights(int replica, StageId stage);
    std::size_t sideLanes() const { return m_sideLanes; }
    // Called on the thread of every device, with replicas as in weights().
    void observeGradients(const GradientObserver& observer);
    // Whether a fence of this copy has passed.
    bool hasPassed(Fence fence, int copy) const
    {
        return m_transport->hasPassed(m_numbers.fence(fence, copy));
    }

    // Begin and end of a transfer, of a RECV those of its SEND; and whether it is complete.
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
    IdVector<DeviceId, std::unique_ptr<PipelineDevice>> m_devices; // of all copies
    std::size_t m_sideLanes = 0;
    std::unique_ptr<Transport> m_transport; // last member: its threads use the devices' memory
    std::size_t m_tokensPerMicroBatch = 1;
};

// "device 2", with several copies "device 2 of copy 1".
std::string deviceText(const Pipeline& pipeline, OpRef ref);
// "device 2, index 5, 2F3: out of memory".
std::string describeFault(const Pipeline& pipeline, OpRef ref, const std::exception& fault);

} // namespace engine
