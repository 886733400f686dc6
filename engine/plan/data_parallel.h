#pragma once

#include "engine/plan/execution_plan.h"

namespace engine {

// Data parallelism: W copies of the pipeline train concurrently with one plan, each on its own
// devices and micro-batches. In the transport, the devices, messages and evicts of the copies have
// different ids; the ids of copy 0 come first. All copies share the all-reduces.
class CopyNumbers
{
public:
    CopyNumbers(const ExecutionPlan& plan, int copies)
        : m_devices(plan.devices.size())
        , m_messages(plan.messages.size())
        , m_moves(plan.copies.size())
        , m_copies(copies)
    { }

    int copies() const { return m_copies; }
    DeviceId device(DeviceId device, int copy) const
    {
        return DeviceId{copy * m_devices + device.value};
    }
    std::uint32_t message(std::uint32_t message, int copy) const
    {
        return copy * m_messages + message;
    }
    std::uint32_t move(std::uint32_t evictOrLoad, int copy) const
    {
        return copy * m_moves + evictOrLoad;
    }
    Fence fence(Fence fence, int copy) const
    {
        if (fence.kind == Fence::Kind::Copied)
            fence.id = move(fence.id, copy);
        else if (fence.kind != Fence::Kind::Reduced)
            fence.id = message(fence.id, copy);
        return fence;
    }

private:
    std::int32_t m_devices;
    std::uint32_t m_messages, m_moves;
    int m_copies;
};

// The messages and all-reduces of all data-parallel pipelines, with the ids of `numbers`. Buffers
// are not filled in, and Traffic::copies (EVICT, LOAD) is empty.
inline Traffic trafficOf(const ExecutionPlan& plan, const CopyNumbers& numbers)
{
    Traffic traffic;
    for (int copy = 0; copy < numbers.copies(); ++copy)
        for (const ExecutionPlan::SentMessage& message : plan.messages)
            traffic.messages.push_back({numbers.device(message.from, copy),
                                        numbers.device(message.to, copy),
                                        {},
                                        {},
                                        message.value.kind == Value::Kind::Gradient
                                            ? Message::Carries::Gradient
                                            : Message::Carries::Activation});
    for (const ExecutionPlan::PlannedCollective& planned : plan.collectives) {
        Collective& collective = traffic.collectives.emplace_back();
        collective.stage = planned.stage;
        for (int copy = 0; copy < numbers.copies(); ++copy)
            for (const auto& member : planned.members)
                collective.members.push_back(numbers.device(member.device, copy));
    }
    return traffic;
}

} // namespace engine
