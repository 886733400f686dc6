#pragma once

#include <atomic>
#include <cstdint>

namespace engine {

// How one thread sleeps until others have changed something: read epoch(), look, sleep(epoch). What
// was written before ring() is seen after the sleep; a ring in between is never missed. No lock.
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
