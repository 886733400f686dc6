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

// Threads of an iteration report their end here, once per iteration, so a lock is cheap enough.
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

// The thread of one device of one copy of the pipeline: executes the device's program once per
// iteration. On a GPU it only queues ops, a few ahead of the running one, and the GPU measures
// the times.
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
        std::optional<int> core = {}; // the core it is pinned to, if any
        LaunchHooks hooks = {};
        int copy = 0; // of the pipeline (data_parallel.h)
        std::chrono::nanoseconds patience = std::chrono::seconds(5); // op_patience.h
    };
    explicit Worker(const Setup& setup);
    ~Worker(); // requires that no iteration is running, or that the transport was aborted

    // Called by the owning thread; reports to IterationEnd. Stops within one op of `cancel`, on
    // a GPU within kAhead ops. `iteration`: index into Timeline::iterations.
    void beginIteration(std::uint32_t iteration, const std::atomic<bool>& cancel);

    // Executes one op from the owning thread while no other op runs; returns after it has ended.
    // Call in an order in which nothing waits, then takeTimes(). Throws EndlessOp
    // (op_patience.h).
    void runAlone(OpRef ref, std::uint32_t iteration);
    void takeTimes(); // of a GPU's ops, which must have ended

    // During an iteration, thread-safe.
    std::uint32_t position() const { return m_position.load(std::memory_order_relaxed); }
    bool waits() const { return m_waits.load(std::memory_order_relaxed); }
    bool isOver() const { return m_over.load(std::memory_order_relaxed); } // it has reported
    // The first op that has not ended; if all queued ops have, the next one.
    std::uint32_t unfinished() const;
    // The op that a GPU is executing; none if it waits or is idle.
    std::optional<std::uint32_t> running() const;
    std::int64_t tookBefore(std::uint32_t position) const // ns on a GPU; 0: it has not run yet
    {
        return m_ops.tookBefore(position);
    }
    std::uint32_t ended() const { return m_oldest.load(std::memory_order_relaxed); } // on a GPU
    bool hasFailed() const { return m_failed.load(std::memory_order_acquire); }
    // After the iteration: whether the GPU was abandoned during an op.
    bool hasUnfinished() const;
    // Stops waiting for a GPU that no longer responds.
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
    OpRef m_computing;      // the op being queued
    const std::atomic<bool>* m_cancel = nullptr;
    Doorbell m_start;
    std::string m_failure;
    std::thread m_thread; // last member: it uses the others
};

// The cores this process may use.
std::vector<int> allowedCores();

} // namespace engine
