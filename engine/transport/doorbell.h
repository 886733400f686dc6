#pragma once

#include "engine/base/clock.h"

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

// Waits for a condition: spins for `spin` ns, then sleeps. Every change of the condition must ring
// the bell. Returns false after an abort, which also rings the bell.
template<class Condition>
bool sleepUntil(const Doorbell& bell, std::int64_t spin, const std::atomic<bool>& aborted,
                const Condition& isTrue)
{
    if (isTrue())
        return true;
    for (const std::int64_t end = wallTime() + spin; wallTime() < end;) {
        if (isTrue())
            return true;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    for (;;) {
        const std::uint32_t epoch = bell.epoch();
        if (isTrue())
            return true;
        if (aborted.load(std::memory_order_acquire))
            return false;
        bell.sleep(epoch);
    }
}

} // namespace engine
