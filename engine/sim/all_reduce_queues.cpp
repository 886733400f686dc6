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

void AllReduceQueues::issue(DeviceId device, const AllReduceCall& call)
{
    m_queues[device].calls.push_back(call);
    join(m_queues[device]);
}

std::optional<AllReduceStart> AllReduceQueues::next()
{
    if (m_startable.empty())
        return std::nullopt;
    const StageId stage = m_startable.back();
    m_startable.pop_back();
    const PendingAllReduce& pending = m_pending[stage];
    return AllReduceStart{stage, pending.begin, pending.duration, pending.isTied};
}

bool AllReduceQueues::isIdle() const
{
    return std::ranges::all_of(m_queues,
                               [](const Queue& queue) { return queue.head == queue.calls.size(); });
}

// The first call in the queue joins its all-reduce. If a device holds both replicas of a stage, the
// call of the other replica, directly behind the first one, joins, too.
void AllReduceQueues::join(Queue& queue)
{
    const auto isOfHead = [&queue](const AllReduceCall& call) {
        const AllReduceCall& head = queue.calls[queue.head];
        return call.stage == head.stage && (call.op == head.op || call.replica != head.replica);
    };
    while (queue.joined < queue.calls.size() && isOfHead(queue.calls[queue.joined])) {
        const AllReduceCall& call = queue.calls[queue.joined++];
        PendingAllReduce& pending = m_pending[call.stage];
        pending.begin = std::max({pending.begin, call.issued, queue.free});
        pending.duration = std::max(pending.duration, call.duration);
        pending.isTied = call.isTied;
        if (++pending.joined == pending.expected)
            m_startable.push_back(call.stage);
    }
}

const std::vector<AllReduceDone>& AllReduceQueues::complete(StageId stage, Window window)
{
    m_done.clear();
    m_pending[stage] = {m_pending[stage].expected}; // reset for the next update
    for (const auto& deviceOf : m_schedule.deviceOf) {
        completeOn(deviceOf[stage], stage, window);
        // With tied embeddings, the last stage joins the all-reduce of stage 0.
        if (stage.value == 0)
            completeOn(deviceOf.back(), stage, window);
    }
    return m_done;
}

void AllReduceQueues::completeOn(DeviceId device, StageId stage, Window window)
{
    if (!device.isValid())
        return;
    Queue& own = m_queues[device];
    for (; own.head < own.joined && own.calls[own.head].stage == stage; ++own.head) {
        m_done.push_back({device, own.calls[own.head], window.begin, window.end});
        own.free = window.end;
    }
    join(own);
}

} // namespace engine::sim
