#pragma once

#include <atomic>
#include <cstdint>

namespace engine {

// Lets a thread sleep until another thread signals a change. The waiting thread reads epoch(),
// checks its condition, and calls sleep(epoch), which returns at once if ring() was called in
// between. Writes before ring() are visible after sleep(). Lock-free.
class Doorbell
{
public:
    std::uint32_t epoch() const { return m_epoch.load(std::memory_order_acquire); }
    void sleep(std::uint32_t since) const { m_epoch.wait(since, std::memory_order_acquire); }
    void ring()
    {
        m_epoch.fetch_add(1, std::memory_order_release);
        m_epoch.notify_all();
    }

private:
    std::atomic<std::uint32_t> m_epoch{0};
};

} // namespace engine
