#include "engine/sim/queues.h"

#include <algorithm>

namespace engine::sim {

Window CopyQueues::evict(std::int64_t parts, std::int64_t ready, std::int64_t duration)
{
    const std::int64_t begin = m_guests.take(parts, std::max(ready, m_evictFree));
    m_evictFree = begin + duration;
    m_own.giveBackAt(m_evictFree, parts);
    return {begin, m_evictFree};
}

Window CopyQueues::load(std::int64_t parts, std::int64_t ready, std::int64_t duration)
{
    const std::int64_t begin = take(parts, std::max(ready, m_loadFree));
    m_loadFree = begin + duration;
    m_guests.giveBackAt(m_loadFree, parts);
    return {begin, m_loadFree};
}

std::int64_t CopyQueues::Slots::take(std::int64_t parts, std::int64_t ready)
{
    m_held += parts;
    for (; m_held > m_capacity && !m_leaving.empty(); m_leaving.pop_front()) {
        ready = std::max(ready, m_leaving.front().end);
        m_held -= m_leaving.front().parts;
    }
    return ready;
}

const SharedCopies::Flows& SharedCopies::beforeSpace(std::int64_t parts) const
{
    m_before.clear();
    std::int64_t held = m_own.held + parts;
    for (auto next = m_own.leaving.begin(); held > m_own.capacity && next != m_own.leaving.end();
         ++next) {
        m_before.push_back(next->flow);
        held -= next->parts;
    }
    return m_before;
}

// Space that is being freed is counted as held until it is needed.
void SharedCopies::release(Slots& slots, std::int64_t parts)
{
    slots.held += parts;
    for (; slots.held > slots.capacity && !slots.leaving.empty(); slots.leaving.pop_front()) {
        m_before.push_back(slots.leaving.front().flow);
        slots.held -= slots.leaving.front().parts;
    }
}

const SharedCopies::Flows& SharedCopies::before(Slots& slots, std::int64_t parts, Flow last)
{
    m_before.clear();
    release(slots, parts);
    if (last != Network::kNone)
        m_before.push_back(last);
    return m_before;
}

void SharedCopies::add(Slots& slots, std::int64_t parts, Flow flow, Flow& last)
{
    slots.leaving.push_back({flow, parts});
    last = flow;
}

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
