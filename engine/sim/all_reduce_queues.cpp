#include "engine/sim/all_reduce_queues.h"

#include <algorithm>

namespace engine::sim {

AllReduceQueues::AllReduceQueues(const Schedule& schedule, const IdVector<StageId, int>& calls)
    : m_schedule(schedule)
    , m_queues(schedule.program.size())
    , m_pending(calls.size())
{
    for (const StageId stage : calls.ids())
        m_pending[stage].expected = calls[stage];
}

const std::vector<AllReduceDone>& AllReduceQueues::issue(DeviceId device, const AllReduceCall& call)
{
    m_done.clear();
    m_queues[device].calls.push_back(call);
    m_toJoin.push_back(device);
    while (!m_toJoin.empty()) {
        const DeviceId next = m_toJoin.back();
        m_toJoin.pop_back();
        join(m_queues[next]);
        for (const StageId stage : m_complete)
            finish(stage);
        m_complete.clear();
    }
    return m_done;
}

bool AllReduceQueues::isIdle() const
{
    return std::ranges::all_of(m_queues,
                               [](const Queue& queue) { return queue.head == queue.calls.size(); });
}

// The first call in the queue joins its all-reduce, and so do calls of the same stage directly
// after it, because a device may hold both replicas.
void AllReduceQueues::join(Queue& queue)
{
    while (queue.joined < queue.calls.size()
           && queue.calls[queue.joined].stage == queue.calls[queue.head].stage) {
        const AllReduceCall& call = queue.calls[queue.joined++];
        PendingAllReduce& pending = m_pending[call.stage];
        pending.begin = std::max({pending.begin, call.issued, queue.free});
        pending.duration = std::max(pending.duration, call.duration);
        if (++pending.joined == pending.expected)
            m_complete.push_back(call.stage);
    }
}

void AllReduceQueues::finish(StageId stage)
{
    for (const auto& deviceOf : m_schedule.deviceOf) {
        finishOn(deviceOf[stage], stage);
        if (stage.value == 0) // with tied embeddings the last stage joins it, too
            finishOn(deviceOf.back(), stage);
    }
}

void AllReduceQueues::finishOn(DeviceId device, StageId stage)
{
    if (!device.isValid())
        return;
    const PendingAllReduce& pending = m_pending[stage];
    const std::int64_t end = pending.begin + pending.duration;
    Queue& own = m_queues[device];
    for (; own.head < own.joined && own.calls[own.head].stage == stage; ++own.head) {
        m_done.push_back({device, own.calls[own.head], pending.begin, end});
        own.free = end;
    }
    m_toJoin.push_back(device);
}

} // namespace engine::sim
