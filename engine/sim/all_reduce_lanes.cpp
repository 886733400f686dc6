#include "engine/sim/all_reduce_lanes.h"

#include <algorithm>

namespace engine::sim {

AllReduceLanes::AllReduceLanes(const Schedule& schedule, const IdVector<StageId, int>& calls)
    : m_schedule(schedule)
    , m_lanes(schedule.program.size())
    , m_pending(calls.size())
{
    for (const StageId stage : calls.ids())
        m_pending[stage].expected = calls[stage];
}

const std::vector<AllReduceDone>& AllReduceLanes::issue(DeviceId device, const AllReduceCall& call)
{
    m_done.clear();
    m_lanes[device].calls.push_back(call);
    m_toJoin.push_back(device);
    while (!m_toJoin.empty()) {
        const DeviceId next = m_toJoin.back();
        m_toJoin.pop_back();
        join(m_lanes[next]);
        for (const StageId stage : m_complete)
            finish(stage);
        m_complete.clear();
    }
    return m_done;
}

bool AllReduceLanes::isIdle() const
{
    return std::ranges::all_of(m_lanes,
                               [](const Lane& lane) { return lane.head == lane.calls.size(); });
}

// The first call in the queue joins its all-reduce, and so do calls of the same stage directly
// after it, because a device may hold both replicas.
void AllReduceLanes::join(Lane& lane)
{
    while (lane.joined < lane.calls.size()
           && lane.calls[lane.joined].stage == lane.calls[lane.head].stage) {
        const AllReduceCall& call = lane.calls[lane.joined++];
        PendingAllReduce& pending = m_pending[call.stage];
        pending.begin = std::max({pending.begin, call.issued, lane.free});
        pending.duration = std::max(pending.duration, call.duration);
        if (++pending.joined == pending.expected)
            m_complete.push_back(call.stage);
    }
}

void AllReduceLanes::finish(StageId stage)
{
    for (const auto& deviceOf : m_schedule.deviceOf) {
        finishOn(deviceOf[stage], stage);
        if (stage.value == 0) // with tied embeddings the last stage joins it, too
            finishOn(deviceOf.back(), stage);
    }
}

void AllReduceLanes::finishOn(DeviceId device, StageId stage)
{
    if (!device.isValid())
        return;
    const PendingAllReduce& pending = m_pending[stage];
    const std::int64_t end = pending.begin + pending.duration;
    Lane& own = m_lanes[device];
    for (; own.head < own.joined && own.calls[own.head].stage == stage; ++own.head) {
        m_done.push_back({device, own.calls[own.head], pending.begin, end});
        own.free = end;
    }
    m_toJoin.push_back(device);
}

} // namespace engine::sim
