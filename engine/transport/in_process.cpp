#include "engine/transport/in_process.h"

#include "engine/base/clock.h"
#include "engine/transport/all_reduce.h"

#include <algorithm>

namespace engine {

SideThread::SideThread(std::vector<DeviceId> devices, std::size_t capacity, Work work)
    : m_devices(std::move(devices))
    , m_work(std::move(work))
{
    for (std::size_t i = 0; i < m_devices.size(); ++i)
        m_queues.push_back(std::make_unique<Queue>(capacity));
    m_thread = std::thread([this] { run(); });
}

SideThread::~SideThread()
{
    m_stopping.store(true, std::memory_order_release);
    m_bell.ring();
    m_thread.join();
}

void SideThread::call(DeviceId self, std::uint32_t call)
{
    const auto place = std::ranges::find(m_devices, self) - m_devices.begin();
    Queue& queue = *m_queues[place];
    const std::size_t next = queue.written.load(std::memory_order_relaxed);
    queue.calls[next % queue.calls.size()] = call;
    queue.written.store(next + 1, std::memory_order_release);
    m_bell.ring();
}

void SideThread::run()
{
    for (;;) {
        const std::uint32_t epoch = m_bell.epoch();
        const bool stopping = m_stopping.load(std::memory_order_acquire);
        if (takeAll())
            continue;
        if (stopping)
            return;
        m_bell.sleep(epoch);
    }
}

bool SideThread::takeAll()
{
    bool any = false;
    for (const auto& queue : m_queues)
        for (; queue->read < queue->written.load(std::memory_order_acquire); any = true)
            m_work(queue->calls[queue->read++ % queue->calls.size()]);
    return any;
}

InProcessTransport::InProcessTransport(Traffic traffic, int devices, SideWork sideWork,
                                       std::int64_t spin, const Kernels<float>* kernels)
    : m_traffic(std::move(traffic))
    , m_kernels(kernels)
    , m_bells(devices)
    , m_joined(m_traffic.collectives.size())
    , m_spin(spin)
{
    const auto resize
        = [this](Fence::Kind kind, std::size_t count) { m_states[kind].resize(count); };
    resize(Fence::Kind::Credit, m_traffic.messages.size());
    resize(Fence::Kind::Arrived, m_traffic.messages.size());
    resize(Fence::Kind::Copied, m_traffic.copies.size());
    resize(Fence::Kind::Reduced, m_traffic.collectives.size());
    if (sideWork == SideWork::Threads)
        makeSideThreads();
}

InProcessTransport::~InProcessTransport() = default;

void InProcessTransport::makeSideThreads()
{
    std::vector<std::vector<DeviceId>> sets;
    const auto assignThread = [&](std::vector<DeviceId> devices) {
        std::ranges::sort(devices);
        devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
        const auto found = std::ranges::find(sets, devices);
        if (found == sets.end())
            sets.push_back(devices);
        m_threadOf.push_back(std::ranges::find(sets, devices) - sets.begin());
    };
    for (const Copy& copy : m_traffic.copies)
        assignThread({copy.owner, copy.peer});
    for (const Collective& collective : m_traffic.collectives)
        assignThread(collective.members);

    for (std::vector<DeviceId>& set : sets)
        m_threads.emplace_back(std::move(set), 2 * m_threadOf.size(),
                               [this](std::uint32_t call) { perform(call); });
}

auto InProcessTransport::state(Fence fence) -> State&
{
    return m_states[fence.kind][fence.id];
}

auto InProcessTransport::state(Fence fence) const -> const State&
{
    return m_states[fence.kind][fence.id];
}

void InProcessTransport::beginIteration()
{
    ++m_iteration;
    std::ranges::fill(m_joined, 0);
}

void InProcessTransport::pass(Fence fence, DeviceId waiter)
{
    state(fence).passed.store(m_iteration, std::memory_order_release);
    m_bells[waiter].ring();
}

void InProcessTransport::post(DeviceId, std::uint32_t message)
{
    pass({Fence::Kind::Credit, message}, m_traffic.messages[message].from);
}

bool InProcessTransport::send(DeviceId self, std::uint32_t message)
{
    if (!wait(self, {Fence::Kind::Credit, message}))
        return false;
    const Message& what = m_traffic.messages[message];
    const Fence arrived{Fence::Kind::Arrived, message};
    state(arrived).time.begin = wallTime();
    move(what.source, what.slot);
    state(arrived).time.end = wallTime();
    pass(arrived, what.to);
    return true;
}

void InProcessTransport::copy(DeviceId self, std::uint32_t copy)
{
    callSideThread(self, copy);
}

void InProcessTransport::allReduce(DeviceId self, std::uint32_t collective)
{
    callSideThread(self, m_traffic.copies.size() + collective);
}

void InProcessTransport::callSideThread(DeviceId self, std::uint32_t call)
{
    if (m_threads.empty())
        perform(call);
    else
        m_threads[m_threadOf[call]].call(self, call);
}

void InProcessTransport::perform(std::uint32_t call)
{
    if (call >= m_traffic.copies.size()) {
        reduce(call - m_traffic.copies.size());
        return;
    }
    const Copy& what = m_traffic.copies[call];
    const Fence copied{Fence::Kind::Copied, call};
    state(copied).time.begin = wallTime();
    move(what.source, what.target);
    state(copied).time.end = wallTime();
    pass(copied, what.owner);
}

void InProcessTransport::move(std::span<const std::byte> from, std::span<std::byte> to) const
{
    if (m_kernels == nullptr)
        std::ranges::copy(from, to.begin());
    else
        m_kernels->copyBytes(from, to);
}

// Called once per member; the last call adds the buffers.
void InProcessTransport::reduce(std::uint32_t id)
{
    const Collective& collective = m_traffic.collectives[id];
    if (++m_joined[id] < collective.members.size())
        return;
    const Fence reduced{Fence::Kind::Reduced, id};
    state(reduced).time.begin = wallTime();
    if (m_kernels != nullptr && collective.integers.empty())
        engine::allReduce(*m_kernels, collective.floats);
    else if (m_kernels != nullptr)
        engine::allReduce(*m_kernels, collective.integers);
    else if (collective.integers.empty())
        engine::allReduce<float>(collective.floats);
    else
        engine::allReduce<std::int64_t>(collective.integers);
    state(reduced).time.end = wallTime();
    // Marks the fence only once. A member that sees the fence may already begin the next iteration,
    // in which the fence must not pass again.
    pass(reduced, collective.members.front());
    for (const DeviceId member : collective.members)
        m_bells[member].ring();
}

bool InProcessTransport::wait(DeviceId self, Fence fence)
{
    return sleepUntil(m_bells[self], m_spin, m_aborted, [&] { return hasPassed(fence); });
}

void InProcessTransport::abort()
{
    m_aborted.store(true, std::memory_order_release);
    for (Doorbell& each : m_bells)
        each.ring();
}

bool InProcessTransport::hasPassed(Fence fence) const
{
    return state(fence).passed.load(std::memory_order_acquire) == m_iteration;
}

TransferTime InProcessTransport::timeOf(Fence fence) const
{
    return state(fence).time;
}

} // namespace engine
