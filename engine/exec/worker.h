#pragma once

#include "engine/exec/launch_hooks.h"
#include "engine/exec/queued_ops.h"
#include "engine/pipeline/pipeline.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace engine {

// Where the threads of an iteration report that they are done. Used once an iteration by each, so
// a lock does no harm.
class IterationEnd
{
public:
    void begin(std::size_t workers);
    void report();
    // True when all have reported, false after `timeout`.
    bool waitFor(std::chrono::milliseconds timeout);

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_missing = 0;
};

// The thread of one device of one copy of the pipeline: runs the device's program once an
// iteration, from the first op to the last. A GPU's ops are only queued by it, a few ahead of the
// one that runs; their times are the GPU's.
class Worker
{
public:
    // So many ops of a GPU are queued at once, so that no gap is left between them and the end
    // comes soon when the run is cancelled.
    static constexpr std::uint32_t kAhead = 4;

    struct Setup
    {
        Pipeline& pipeline;
        DeviceId device;
        IterationEnd& end;
        std::optional<int> core = {}; // where it is pinned, if anywhere
        LaunchHooks hooks = {};
        int copy = 0; // of the pipeline (data_parallel.h)
        std::chrono::nanoseconds patience = std::chrono::seconds(5); // op_patience.h
    };
    explicit Worker(const Setup& setup);
    ~Worker(); // it is not in an iteration, or the transport was aborted

    // From the thread that owns it; the end hears of the end. Within one op of `cancel` it stops,
    // or within kAhead. `iteration`: index into Timeline::iterations.
    void beginIteration(std::uint32_t iteration, const std::atomic<bool>& cancel);

    // One op, from the thread that owns it, while no other op runs anywhere; it has ended then. The
    // order is one in which nothing waits. After the last: takeTimes(). EndlessOp (op_patience.h).
    void runAlone(OpRef ref, std::uint32_t iteration);
    void takeTimes(); // of a GPU's ops, all of which have ended

    // While it runs, from any thread.
    std::uint32_t position() const { return m_position.load(std::memory_order_relaxed); }
    bool waits() const { return m_waits.load(std::memory_order_relaxed); }
    bool isOver() const { return m_over.load(std::memory_order_relaxed); } // it has reported
    // The op that has not ended; the one that comes next, where all have that were queued.
    std::uint32_t unfinished() const;
    // The op that a GPU is at; none: it waits, or has nothing to do.
    std::optional<std::uint32_t> running() const;
    std::int64_t tookBefore(std::uint32_t position) const // ns of a GPU; 0: it has not run yet
    {
        return m_ops.tookBefore(position);
    }
    std::uint32_t ended() const { return m_oldest.load(std::memory_order_relaxed); } // on a GPU
    bool hasFailed() const { return m_failed.load(std::memory_order_acquire); }
    // After the iteration: a GPU was abandoned while it was at something.
    bool hasUnfinished() const;
    // A GPU that does not answer is not waited for any more.
    void abandon() { m_abandoned.store(true, std::memory_order_relaxed); }

    // Between iterations.
    struct Times // of an op
    {
        std::int64_t begin = 0, end = 0; // ns on CLOCK_MONOTONIC; on a GPU, of its time stamps
        std::int64_t opTime = 0;         // ns of the thread's CPU clock; on a GPU, of the GPU
    };
    std::span<const Times> times() const { return m_times; } // [position]
    const std::string& failure() const { return m_failure; } // once it has failed
    DeviceId device() const { return m_setup.device; }
    int copy() const { return m_setup.copy; }
    int graphs() const { return m_ops.graphs(); }

private:
    void loop();
    void runProgram();
    bool runOp(OpRef ref);
    void compute(OpRef ref);
    void queue(OpRef ref);
    void awaitGradient();
    bool awaitOldest();
    void awaitAlone(OpRef ref);
    bool drain();

    Setup m_setup;
    const Device* m_gpu = nullptr; // a GPU, or a part of one; nullptr: this thread computes
    std::uint32_t m_firstOp = 0;   // OpIndex of its first
    std::vector<Times> m_times;
    QueuedOps m_ops;                                       // by position
    std::atomic<std::uint32_t> m_position{0}, m_oldest{0}; // all before the oldest have ended
    std::atomic<std::uint32_t> m_queued{0};                // all before it were queued
    std::atomic<bool> m_waits{false}, m_quit{false}, m_abandoned{false}, m_failed{false},
        m_over{false};
    std::uint32_t m_iteration = 0;
    bool m_isAlone = false; // runAlone()
    OpRef m_computing;      // which is being queued
    const std::atomic<bool>* m_cancel = nullptr;
    Doorbell m_start;
    std::string m_failure;
    std::thread m_thread; // last: it uses the others
};

// The cores this process may use.
std::vector<int> allowedCores();

} // namespace engine
