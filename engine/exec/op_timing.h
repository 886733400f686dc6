#pragma once

#include <cstdint>
#include <ctime>

namespace engine {

// What was measured when an op really ran, beside its place on the timeline.
struct OpTiming
{
    std::uint32_t op = 0, iteration = 0;     // OpIndex; index into Timeline::iterations
    std::uint32_t order = 0;                 // of execution within the iteration
    std::int64_t wallBegin = 0, wallEnd = 0; // CLOCK_MONOTONIC, ns
    std::int64_t cpuTime = 0;                // ns of the thread's CPU clock: what is placed
};

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

// Of the calling thread only, so that other load on the machine does not enter the timeline.
inline std::int64_t threadCpuTime()
{
    return readClock(CLOCK_THREAD_CPUTIME_ID);
}

} // namespace engine
