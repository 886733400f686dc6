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

// Counts the threads that have finished an iteration. Uses a lock, because each thread reports only
// once per iteration.
class IterationEnd
{
public:
    void begin(std::size_t workers);
    void report();
    // False after `timeout`.
    bool waitFor(std::chrono::milliseconds timeout);

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_missing = 0;
};

// The thread of one device of one data-parallel pipeline, which executes the device's program once
// per iteration. For a GPU the thread only queues ops, a few ahead of the running one, and the GPU
// measures the times.
class Worker
{
public:
    // The number of ops queued on a GPU at the same time: enough to leave no gaps between ops, and
    // few enough that a cancelled run ends soon.
    static constexpr std::uint32_t kAhead = 4;

    struct Setup
    {
        Pipeline& pipeline;
        DeviceId device;
        IterationEnd& end;
        std::optional<int> core = {}; // core that the thread is pinned to
        LaunchHooks hooks = {};
        int copy = 0; // index of the data-parallel pipeline (data_parallel.h)
        std::chrono::nanoseconds patience = std::chrono::seconds(5); // see patience.h
    };
    explicit Worker(const Setup& setup);
    ~Worker(); // requires that no iteration is running, or that the transport was aborted

    // Starts an iteration; called by the owning thread. When the worker is done, it reports to
    // IterationEnd. `cancel` stops the worker within one op or, on a GPU, within kAhead ops.
    // `iteration` is an index into Timeline::iterations.
    void beginIteration(std::uint32_t iteration, const std::atomic<bool>& cancel);

    // Executes one op on the owning thread while no other op runs, and returns when the op has
    // ended. Call it in an order in which no op has to wait, and takeTimes() after the last op.
    // Throws EndlessOp (patience.h).
    void runAlone(OpRef ref, std::uint32_t iteration);
    void takeTimes(); // reads the times of a GPU's ops, all of which must have ended

    // Any thread may call the following functions during an iteration.
    std::uint32_t position() const { return m_position.load(std::memory_order_relaxed); }
    bool waits() const { return m_waits.load(std::memory_order_relaxed); }
    // Whether the worker is done with the iteration.
    bool isOver() const { return m_over.load(std::memory_order_relaxed); }
    // Position of the first op that has not ended or, if all queued ops have ended, of the next
    // one.
    std::uint32_t unfinished() const;
    // Position of the op that a GPU executes; nullopt if the GPU waits or is idle.
    std::optional<std::uint32_t> running() const;
    // GPU time in the last iteration, in ns; 0 if the op has not run yet.
    std::int64_t tookBefore(std::uint32_t position) const { return m_ops.tookBefore(position); }
    // Position of the oldest queued op; all earlier ops have ended. Only for a GPU.
    std::uint32_t ended() const { return m_oldest.load(std::memory_order_relaxed); }
    bool hasFailed() const { return m_failed.load(std::memory_order_acquire); }
    // Whether the GPU was abandoned during an op. Call it after the iteration.
    bool hasUnfinished() const;
    // Stops waiting for a GPU that no longer responds.
    void abandon() { m_abandoned.store(true, std::memory_order_relaxed); }

    // Call the following functions between iterations.
    struct Times // the times of one op
    {
        std::int64_t begin = 0, end = 0; // ns on CLOCK_MONOTONIC; on a GPU from its time stamps
        std::int64_t opTime = 0;         // in ns, on the thread's CPU clock or on the GPU
    };
    std::span<const Times> times() const { return m_times; } // [position]
    const std::string& failure() const { return m_failure; }
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
    const Device* m_gpu = nullptr; // GPU or partition; nullptr: this thread computes
    std::uint32_t m_firstOp = 0;   // OpIndex of the program's first op
    std::vector<Times> m_times;
    QueuedOps m_ops;                                       // [position]
    std::atomic<std::uint32_t> m_position{0}, m_oldest{0}; // ops before m_oldest have ended
    std::atomic<std::uint32_t> m_queued{0};                // ops before this position were queued
    std::atomic<bool> m_waits{false}, m_quit{false}, m_abandoned{false}, m_failed{false},
        m_over{false};
    std::uint32_t m_iteration = 0;
    bool m_isAlone = false; // runAlone() is executing
    OpRef m_computing;      // the op being queued
    const std::atomic<bool>* m_cancel = nullptr;
    Doorbell m_start;
    std::string m_failure;
    std::thread m_thread; // last member, because it uses the other members
};

std::vector<int> allowedCores();

} // namespace engine
