#pragma once

#include "engine/plan/execution_plan.h"

namespace engine {

// Data parallelism: W copies of the pipeline train side by side, each with its own devices and
// micro-batches. One plan serves all of them. The transport knows every copy's devices, messages
// and evicts under numbers of their own, those of the plan's copy 0 first; all-reduces are one for
// all copies, which call each of them.
class CopyNumbers
{
public:
    CopyNumbers(const ExecutionPlan& plan, int copies)
        : m_devices(static_cast<std::int32_t>(plan.devices.size()))
        , m_messages(static_cast<std::uint32_t>(plan.messages.size()))
        , m_moves(static_cast<std::uint32_t>(plan.copies.size()))
        , m_copies(copies)
    { }

    int copies() const { return m_copies; }
    DeviceId device(DeviceId device, int copy) const
    {
        return DeviceId{copy * m_devices + device.value};
    }
    std::uint32_t message(std::uint32_t message, int copy) const
    {
        return static_cast<std::uint32_t>(copy) * m_messages + message;
    }
    std::uint32_t move(std::uint32_t evictOrLoad, int copy) const
    {
        return static_cast<std::uint32_t>(copy) * m_moves + evictOrLoad;
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

// Who sends to whom and who sums with whom, in the order of those numbers; without the buffers, and
// without EVICT and LOAD.
Traffic trafficOf(const ExecutionPlan& plan, const CopyNumbers& numbers);

} // namespace engine
