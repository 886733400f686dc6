#pragma once

#include "engine/exec/pipeline_device.h"
#include "engine/transport/in_process.h"

#include <exception>
#include <memory>
#include <string>

namespace engine {

// A device of its own with the model's stages over its kernels.
struct Seat
{
    const Device& device; // with a lane (engine/backend/device_queue.h)
    const PipelineModel<float>& unit;
};

// An op of the schedule by its place.
struct OpRef
{
    DeviceId device;
    std::uint32_t position = 0, op = 0; // in the device's list; OpIndex
};

// The D devices of a pipeline in one process, connected. It chooses neither order nor threads:
// executors do, each device from one thread at a time.
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
        // Where every device has a GPU of its own, or a part of one: [device]. `unit` and `kernels`
        // are those of one of them, and `device` is none.
        std::vector<Seat> seats = {};
    };
    // Lays out and takes the memory, and initializes the weights. What `setup` refers to must
    // outlive it. std::bad_alloc.
    Pipeline(const Setup& setup, InProcessTransport::SideLanes sideLanes);

    void beginIteration(TokenBatches& tokens); // while no device works
    // The device's own (Setup::seats); nullptr: its ops are done when compute() returns.
    const Device* seatOf(DeviceId id) const;
    // The steps of an op, from the thread of its device. awaitInputs() and transfer() return false
    // when the transport was aborted.
    bool awaitInputs(OpRef ref);
    void compute(OpRef ref) { device(ref.device).compute(ref.position); } // of a compute op
    void finish(OpRef ref);
    bool transfer(OpRef ref); // SEND RECV EVICT LOAD ALLREDUCE

    // Everything in one step, from a thread that plays all devices in a valid order.
    void run(OpRef ref);

    std::vector<float> microBatchLoss() const; // nats per token, of the iteration
    double loss() const;                       // mean of the iteration, nats per token
    const ExecutionPlan& plan() const { return m_plan; }
    const Schedule& lowered() const { return m_setup.lowered; }
    Transport& transport() { return *m_transport; }
    // For tests: something between the devices and what moves their tensors.
    void wrapTransport(
        const std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)>& wrapper);
    PipelineDevice& device(DeviceId id) { return *m_devices[static_cast<std::size_t>(id.value)]; }
    const Op& at(OpRef ref) const { return m_setup.lowered.on(ref.device)[ref.position]; }
    std::span<const float> weights(int replica, StageId stage);
    std::size_t sideLanes() const { return m_sideLanes; }
    // On every device, of whose thread it is called.
    void observeGradients(const GradientObserver& observer);

    // Of an op that is not computed, when it was under way; a RECV with its SEND. And whether it is
    // through.
    TransferTime timeOf(OpRef ref) const;
    bool hasPassed(OpRef ref) const;

private:
    void makeDevices();
    void makeTransport(InProcessTransport::SideLanes sideLanes);
    Traffic traffic() const;
    const OpPlan& planOf(OpRef ref) const;
    Fence fenceOf(OpRef ref) const; // that tells of the end of a transfer

    Setup m_setup;
    ExecutionPlan m_plan;
    std::vector<std::unique_ptr<PipelineDevice>> m_devices;
    std::size_t m_sideLanes = 0;
    std::unique_ptr<Transport> m_transport; // last: its threads use the devices' memory
    std::size_t m_tokensPerMicroBatch = 1;
};

// "device 2, index 5, 2F3: out of cake".
std::string describeFault(const Pipeline& pipeline, OpRef ref, const std::exception& fault);

} // namespace engine
