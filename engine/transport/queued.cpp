#include "engine/transport/queued.h"

#include "engine/base/check.h"

#include <algorithm>

namespace engine {

QueuedTransport::QueuedTransport(Traffic traffic, IdVector<DeviceId, const Device*> devices)
    : QueuedTransport(std::move(traffic), std::move(devices), Moves::Copies)
{ }

QueuedTransport::QueuedTransport(Traffic traffic, IdVector<DeviceId, const Device*> devices,
                                 Moves moves)
    : m_traffic(std::move(traffic))
    , m_devices(std::move(devices))
    , m_calls(m_traffic.collectives.size())
    , m_bells(m_devices.size())
    , m_sums(m_devices.size())
    , m_sides(m_devices.size())
{
    makeFences(moves);
    makeSides(moves);
    if (moves == Moves::Copies)
        makeCalls();
}

QueuedTransport::~QueuedTransport() = default;

void QueuedTransport::makeFences(Moves moves)
{
    using Timed = Device::Timed;
    const auto add = [this](Fence::Kind kind, const Device& by, Timed timed) {
        State& made = m_states[kind].emplace_back();
        if (timed == Timed::Yes)
            made.begin = by.makeEvent(timed);
        made.end = by.makeEvent(timed);
    };
    for (const Message& message : m_traffic.messages) {
        add(Fence::Kind::Credit, device(message.to), Timed::No);
        add(Fence::Kind::Arrived, device(moves == Moves::Copies ? message.from : message.to),
            Timed::Yes);
        m_made.push_back(device(message.from).makeEvent(Timed::No));
    }
    for (const Copy& copy : m_traffic.copies) {
        add(Fence::Kind::Copied, device(copy.owner), Timed::Yes);
        m_called.push_back(device(copy.owner).makeEvent(Timed::No));
    }
    for (const Collective& collective : m_traffic.collectives)
        if (moves == Moves::Copies)
            add(Fence::Kind::Reduced, device(collective.members.front()), Timed::Yes);
}

void QueuedTransport::makeSides(Moves moves)
{
    const auto need
        = [this](std::unique_ptr<DeviceQueue> Side::*queue, DeviceId owner, const char* role) {
              if (m_sides[owner].*queue == nullptr)
                  m_sides[owner].*queue = device(owner).makeQueue(role);
          };
    for (const Copy& copy : m_traffic.copies)
        need(&Side::copies, copy.owner, "evicts and loads");
    if (moves == Moves::Derived)
        return;
    for (const Message& message : m_traffic.messages)
        need(&Side::messages, message.from, "messages");
    for (const Collective& collective : m_traffic.collectives) {
        const DeviceId first = collective.members.front();
        need(&Side::sums, first, "all-reduces");
        const bool isFar = std::ranges::any_of(collective.members, [&](DeviceId member) {
            return device(member).gpu() != device(first).gpu();
        });
        if (isFar && m_sides[first].staged == nullptr)
            m_sides[first].staged = device(first).allocate(kStaged, MemoryFor::Staging);
    }
}

// Makes one event per member. A device that holds both replicas of a stage is a member twice,
// because it calls once for each replica.
void QueuedTransport::makeCalls()
{
    for (std::size_t i = 0; i < m_calls.size(); ++i)
        for (const DeviceId member : m_traffic.collectives[i].members)
            m_calls[i].events.push_back(device(member).makeEvent(Device::Timed::No));
}

auto QueuedTransport::state(Fence fence) -> State&
{
    return m_states[fence.kind][fence.id];
}

auto QueuedTransport::state(Fence fence) const -> const State&
{
    return m_states[fence.kind][fence.id];
}

void QueuedTransport::beginIteration()
{
    ++m_iteration;
    for (Calls& calls : m_calls)
        calls.joined = 0;
}

bool QueuedTransport::isQueued(Fence fence) const
{
    return state(fence).queued.load(std::memory_order_acquire) == m_iteration;
}

bool QueuedTransport::awaitQueued(DeviceId self, Fence fence)
{
    return sleepUntil(m_bells[self], kSpin, m_aborted, [&] { return isQueued(fence); });
}

void QueuedTransport::markQueued(Fence fence, DeviceId waiter)
{
    state(fence).queued.store(m_iteration, std::memory_order_release);
    m_bells[waiter].ring();
}

// Queues a copy and records its time without the wait before it.
void QueuedTransport::transferTimed(DeviceQueue& queue, Fence fence, const DeviceCopy& copy)
{
    queue.record(*state(fence).begin);
    queue.copy(copy);
    queue.record(*state(fence).end);
}

void QueuedTransport::post(DeviceId self, std::uint32_t message)
{
    const Fence credit{Fence::Kind::Credit, message};
    device(self).queue()->record(*state(credit).end);
    markQueued(credit, m_traffic.messages[message].from);
}

bool QueuedTransport::send(DeviceId self, std::uint32_t message)
{
    const Fence credit{Fence::Kind::Credit, message}, arrived{Fence::Kind::Arrived, message};
    const Message& what = m_traffic.messages[message];
    DeviceQueue& queue = *m_sides[self].messages;
    device(self).queue()->record(*m_made[message]);
    if (!awaitQueued(self, credit))
        return false;
    queue.wait(*m_made[message]);
    queue.wait(*state(credit).end);
    transferTimed(queue, arrived,
                  {what.source, what.slot, device(what.from).gpu(), device(what.to).gpu()});
    markQueued(arrived, what.to);
    return true;
}

void QueuedTransport::copy(DeviceId self, std::uint32_t copy)
{
    const Copy& what = m_traffic.copies[copy];
    CHECK(what.owner == self);
    DeviceQueue& queue = *m_sides[self].copies;
    device(self).queue()->record(*m_called[copy]);
    queue.wait(*m_called[copy]);
    const Fence copied{Fence::Kind::Copied, copy};
    const int own = device(self).gpu(), peer = device(what.peer).gpu();
    transferTimed(queue, copied,
                  {what.source, what.target, what.toPeer ? own : peer, what.toPeer ? peer : own});
    markQueued(copied, self);
}

// The call of the last member queues the all-reduce. A device that holds both replicas is a member
// twice and calls twice.
void QueuedTransport::allReduce(DeviceId self, std::uint32_t id)
{
    Calls& calls = m_calls[id];
    const std::vector<DeviceId>& members = m_traffic.collectives[id].members;
    const auto member = std::ranges::find(members, self) - members.begin();
    const std::lock_guard lock(calls.mutex);
    device(self).queue()->record(*calls.events[member]);
    if (++calls.joined == members.size())
        reduce(id);
}

void QueuedTransport::reduce(std::uint32_t id)
{
    const Collective& collective = m_traffic.collectives[id];
    const DeviceId first = collective.members.front();
    const Fence reduced{Fence::Kind::Reduced, id};
    DeviceQueue& queue = *m_sides[first].sums;
    const std::lock_guard lock(m_sums[first]);
    for (const Event& called : m_calls[id].events)
        queue.wait(*called);
    queue.record(*state(reduced).begin);
    if (collective.integers.empty())
        sum<float>(collective, collective.floats);
    else
        sum<std::int64_t>(collective, collective.integers);
    queue.record(*state(reduced).end);
    markQueued(reduced, first);
    for (const DeviceId member : collective.members)
        m_bells[member].ring();
}

// Adds the buffers in the order of the members (see all_reduce.h).
template<class Number>
void QueuedTransport::sum(const Collective& collective, std::span<const std::span<Number>> buffers)
{
    const DeviceId first = collective.members.front();
    for (std::size_t i = 1; i < buffers.size(); ++i)
        addFrom<Number>(collective.members[i], first, buffers[i], buffers.front());
    for (std::size_t i = 1; i < buffers.size(); ++i)
        m_sides[first].sums->copy({std::as_bytes(buffers.front()),
                                   std::as_writable_bytes(buffers[i]), device(first).gpu(),
                                   device(collective.members[i]).gpu()});
}

// Copies the data of another GPU piece by piece before adding it, because kernels read only memory
// of their own GPU.
template<class Number>
void QueuedTransport::addFrom(DeviceId other, DeviceId first, std::span<const Number> from,
                              std::span<Number> to)
{
    Side& own = m_sides[first];
    if (device(other).gpu() == device(first).gpu()) {
        own.sums->add(from, to);
        return;
    }
    constexpr std::size_t kPiece = kStaged / sizeof(Number);
    const std::span<Number> staged(reinterpret_cast<Number*>(own.staged.get()), kPiece);
    for (std::size_t begin = 0; begin < from.size(); begin += kPiece) {
        const std::size_t count = std::min(kPiece, from.size() - begin);
        own.sums->copy({std::as_bytes(from.subspan(begin, count)),
                        std::as_writable_bytes(staged.first(count)), device(other).gpu(),
                        device(first).gpu()});
        own.sums->add(std::span<const Number>(staged.first(count)), to.subspan(begin, count));
    }
}

bool QueuedTransport::wait(DeviceId self, Fence fence)
{
    if (!awaitQueued(self, fence))
        return false;
    device(self).queue()->wait(*state(fence).end);
    return true;
}

void QueuedTransport::abort()
{
    m_aborted.store(true, std::memory_order_release);
    for (Doorbell& each : m_bells)
        each.ring();
}

bool QueuedTransport::hasPassed(Fence fence) const
{
    return isQueued(fence) && state(fence).end->hasPassed();
}

TransferTime QueuedTransport::timeOf(Fence fence) const
{
    const State& timed = state(fence);
    return {timed.begin->time(), timed.end->time()};
}

} // namespace engine
