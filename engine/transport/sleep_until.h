#pragma once

#include "engine/base/clock.h"
#include "engine/transport/doorbell.h"

namespace engine {

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
