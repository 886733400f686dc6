#include "engine/transport/side_thread.h"

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

} // namespace engine
