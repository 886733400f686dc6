#pragma once

#include "engine/base/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace engine {

// How long a run waits before it treats a GPU as lost. We count the time in which this process was
// scheduled and allow slow ops a multiple of their earlier time, because a debugger or a busy
// machine must not end a run.

// A GPU whose op runs longer (in ns) is treated as lost. `before` is the time of the op in an
// earlier iteration in ns; 0: it has not run yet.
constexpr std::int64_t longestOp(std::chrono::nanoseconds patience, std::int64_t before)
{
    constexpr std::int64_t kTimes = 20, kUnknown = 12;
    return before > 0 ? std::max(patience.count(), kTimes * before) : kUnknown * patience.count();
}

// `what` is the subject of the sentence: "it" (the op) or "the work queued before it".
inline std::string endlessText(std::int64_t nanoseconds, const char* what = "it")
{
    return fmt::format("{} has been running for {:.1f} s without completing", what,
                       static_cast<double>(nanoseconds) / 1e9);
}

// Thrown if the GPU no longer responds (Executor::devicesAreLost).
class EndlessOp : public std::runtime_error
{
public:
    explicit EndlessOp(std::int64_t nanoseconds, const char* what = "it")
        : std::runtime_error(endlessText(nanoseconds, what))
    { }
};

// The clock of a timeout, in ns. It follows the wall clock while it is read often. A long gap
// between two reads means that this process was not scheduled (Ctrl-Z, a debugger, an overloaded
// machine); such a gap adds only kLongestStep, so that the timeout does not expire. Not
// thread-safe.
class PatientClock
{
public:
    static constexpr std::int64_t kLongestStep = 40'000'000; // callers read the clock every 20 ms

    explicit PatientClock(std::int64_t wall = wallTime())
        : m_wall(wall)
    { }

    std::int64_t look(std::int64_t wall = wallTime())
    {
        m_passed += std::min(wall - m_wall, kLongestStep);
        m_wall = wall;
        return m_passed;
    }

private:
    std::int64_t m_wall, m_passed = 0;
};

// Decides whether a live run still makes progress. The caller observes the run every 20 ms or so;
// `now` is the time of a PatientClock in ns, greater than 0.
class Watchdog
{
public:
    // The op that the GPU of a worker executes.
    struct RunningOp
    {
        std::optional<std::uint32_t> position; // nullopt: the GPU waits or is idle
        std::int64_t before = 0;               // its time in an earlier iteration in ns; 0: unknown
    };
    struct Verdict
    {
        enum class Kind { GoOn, Standstill, EndlessOp, SilentDriver };
        Kind kind = Kind::GoOn;
        std::int64_t time = 0;  // how long the op has run, or nothing has progressed, in ns
        std::size_t worker = 0; // index of the worker with the endless op
    };

    // `patience`: see ExecutorSetup. `isOnGpus`: the threads also call the CUDA driver.
    Watchdog(std::chrono::nanoseconds patience, bool isOnGpus)
        : m_patience(patience)
        , m_isOnGpus(isOnGpus)
    { }

    // Whether an op has begun or ended since the last call; `steps` counts both.
    bool hasMoved(std::int64_t now, std::size_t steps);
    // Call it after hasMoved() returned false. `allWait`: no thread is in an op or in the driver.
    // `running` is indexed by worker.
    Verdict judge(std::int64_t now, bool allWait, std::span<const RunningOp> running);

private:
    struct Observed
    {
        std::optional<std::uint32_t> op;
        std::int64_t since = 0; // when it was first observed
    };

    std::chrono::nanoseconds m_patience;
    bool m_isOnGpus;
    std::vector<Observed> m_observed;     // [worker]
    std::int64_t m_moved = 0, m_busy = 0; // times of the last progress and work; 0: none
    std::size_t m_steps = 0;
};

} // namespace engine
