#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

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

    // `patience`: see Live::Setup. `isOnGpus`: the threads also call the CUDA driver.
    Watchdog(std::chrono::nanoseconds patience, bool isOnGpus)
        : m_patience(patience)
        , m_isOnGpus(isOnGpus)
    { }

    // Returns whether an op has begun or ended since the last call; `steps` counts both.
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
