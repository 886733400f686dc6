#pragma once

#include "engine/exec/memory_log.h"
#include "engine/exec/memory_plan.h"
#include "engine/exec/stage_state.h"
#include "engine/exec/token_batches.h"
#include "engine/schedule/dataflow.h"
#include "engine/transport/message_buffers.h"

#include <functional>
#include <memory>

namespace engine {

// An op of the schedule by its place.
struct OpRef
{
    DeviceId device;
    std::uint32_t position = 0, op = 0; // in the device's list; OpIndex
};

// The D devices of a pipeline on one physical one: their memory, and each op of the schedule as
// arithmetic on it. It does not choose an order; whoever calls it takes one in which every op comes
// after what it consumes. One thread.
class PipelineRunner
{
public:
    struct Setup
    {
        const Schedule& lowered;           // checkRunnable() has passed
        const PipelineModel<float>& model; // of as many stages
        const Kernels<float>& kernels;
        std::uint64_t seed = 1;
        Accumulate accumulate = Accumulate::Float;
        Bytes tokenBytes = 0;
    };
    // Allocates everything, and initializes the weights. What `setup` refers to must outlive it.
    explicit PipelineRunner(const Setup& setup);

    void beginIteration(TokenBatches& tokens);
    // A compute op in three steps, so that only the arithmetic is timed.
    void prepare(OpRef ref);
    void compute(OpRef ref);
    void finish(OpRef ref);
    // SEND, RECV, ALLREDUCE.
    void transfer(OpRef ref);
    // Whatever it is, in one step.
    void run(OpRef ref);

    std::vector<float> microBatchLoss() const; // nats per token
    double loss() const;                       // of the iteration, nats per token
    const MemoryLog& memoryLog() const { return m_log; }
    const MemoryPlan& plan() const { return m_plan; }
    Bytes stashReserved(DeviceId device) const;
    bool messagesAllFree() const;
    std::span<const float> weights(int replica, StageId stage) const;

    // Called before each optimizer step with the reduced gradient of the stage.
    std::function<void(int replica, StageId stage, std::span<const float> gradient)> onGradient;

private:
    struct Stage // of one replica
    {
        StageState state;
        std::vector<std::vector<float>> stashes; // [slot]
        std::vector<int> freeSlots;
        std::vector<int> slotOf; // [micro-batch]
    };
    struct Device
    {
        MessageBuffers messages;
        std::vector<float> workspace;
    };
    struct Message // a value that is alive, and where
    {
        DeviceId device;
        int buffer = -1;
        std::uint32_t sentBy = 0; // OpIndex of its SEND
    };
    struct Boundary // values that an F or B takes from and gives to its neighbours
    {
        Message *input = nullptr, *output = nullptr;
    };

    std::unique_ptr<Stage> makeStage(int replica, StageId id) const;
    const Op& at(OpRef ref) const;
    Stage& stage(const Op& op);
    Device& device(DeviceId id) { return m_devices[static_cast<std::size_t>(id.value)]; }
    Message& message(const Value& value);
    Boundary boundary(const Op& op);
    std::span<float> numbers(const Message* message, std::size_t count);
    void acquire(Message& message, OpRef ref);
    void release(Message& message, std::uint32_t op);
    void log(std::uint32_t op, DeviceId device, MemoryCategory category, Bytes bytes);
    void receive(OpRef ref, const Op& op);
    void joinAllReduce(const Op& op);

    Setup m_setup;
    MemoryPlan m_plan;
    std::vector<std::vector<std::unique_ptr<Stage>>> m_stages; // [replica][stage]
    std::vector<Device> m_devices;
    std::vector<Message> m_messages;                       // [valueIndex]
    std::vector<int> m_allReduceCalls, m_allReduceMembers; // [stage]
    TokenBatches* m_tokens = nullptr;
    std::vector<double> m_losses; // [micro-batch], summed over its tokens
    MemoryLog m_log;
};

} // namespace engine
