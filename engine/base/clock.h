#pragma once

#include <cstdint>
#include <ctime>

namespace engine {

inline std::int64_t readClock(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

inline std::int64_t wallTime()
{
    return readClock(CLOCK_MONOTONIC);
}

// CPU time of the calling thread, so that other load on the machine does not affect
// measurements.
inline std::int64_t threadCpuTime()
{
    return readClock(CLOCK_THREAD_CPUTIME_ID);
}

} // namespace engine
