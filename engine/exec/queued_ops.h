#pragma once

#include "engine/backend/device.h"
#include "engine/backend/device_queue.h"
#include "engine/exec/patience.h"
#include "engine/experiment/run_options.h"
#include "engine/schedule/schedule.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>
#include <vector>

namespace engine {

// Queues ops on the stream of a GPU, as CUDA graphs if that is faster. The plan fixes the memory of
// an op, so one capture serves all iterations. OPT is never a graph, because its arguments change
// with every step. Not thread-safe.
class OpGraphs
{
public:
    // `queue` is nullptr on a CPU, where ops are executed at once.
    OpGraphs(Graphs policy, DeviceQueue* queue, std::size_t ops)
        : m_policy(policy)
        , m_queue(queue)
        , m_entries(queue != nullptr ? ops : 0)
    { }

    // Captures the op if it will be launched as a graph. Capturing takes as much host time as many
    // launches, so call it before the start of the op is recorded.
    void prepare(std::size_t op, OpKind kind, const std::function<void()>& work);
    void run(std::size_t op, OpKind kind, const std::function<void()>& work);
    // Chooses how the op is launched in the next iteration. `gpuTime` is the op's GPU time in this
    // iteration, in ns.
    void judge(std::size_t op, std::int64_t gpuTime);

    int captured() const { return m_captured; }

private:
    // If launching an op takes more than this share of its GPU time, gaps appear between its
    // kernels.
    static constexpr double kBound = 0.7;

    struct Entry
    {
        std::unique_ptr<DeviceGraph> graph;
        std::int64_t hostTime = 0; // host time in ns of the last launch without a graph
        int runs = 0;
        bool canBe = true, isSelected = false;
    };
    bool isAsked(OpKind kind) const;
    void capture(Entry& entry, const std::function<void()>& work);

    Graphs m_policy;
    DeviceQueue* m_queue;
    std::vector<Entry> m_entries;
    int m_captured = 0;
};

// The compute ops on the stream of a GPU or a partition. One thread queues ops, each between two
// GPU events; any thread can query whether an op has begun or ended. The caller numbers the ops.
class QueuedOps
{
public:
    // `gpu` is nullptr on a CPU, where nothing is queued.
    QueuedOps(const Device* gpu, Graphs policy, std::size_t ops)
        : m_gpu(gpu)
        , m_graphs(policy, gpu != nullptr ? gpu->queue() : nullptr, ops)
        , m_marks(gpu != nullptr ? ops : 0)
        , m_took(ops)
    { }

    void queue(std::size_t op, OpKind kind, const std::function<void()>& compute);
    // Records a provisional end of the op; the actual end is recorded later. Used for an OPT, at
    // the point where the host reads a gradient that the op computes.
    void markEnd(std::size_t op) { m_gpu->queue()->record(*m_marks[op].end); }

    // Queued ops whose end the queueing thread has not yet seen.
    std::size_t size() const { return m_ahead.size(); }
    std::size_t oldest() const { return m_ahead.front(); }
    void push(std::size_t op) { m_ahead.push_back(op); }
    void popOldest() { m_ahead.pop_front(); }
    void clear() { m_ahead.clear(); }

    // Any thread may call these. hasBegun() and hasEnded() require an op that was queued; they
    // throw std::runtime_error if the GPU has failed.
    bool wasQueued(std::size_t op) const { return op < m_marks.size() && m_marks[op].end; }
    bool hasBegun(std::size_t op) const { return m_marks[op].begin->hasPassed(); }
    bool hasEnded(std::size_t op) const { return m_marks[op].end->hasPassed(); }
    // GPU time in the last iteration, in ns; 0 if the op has not run yet. Any thread may call it.
    std::int64_t tookBefore(std::size_t op) const
    {
        return m_took[op].load(std::memory_order_relaxed);
    }

    // These require an op that has ended. takeTime() returns its GPU time in ns; beginOf() and
    // endOf() return times on CLOCK_MONOTONIC and require Device::anchor().
    std::int64_t takeTime(std::size_t op);
    std::int64_t beginOf(std::size_t op) const { return m_marks[op].begin->time(); }
    std::int64_t endOf(std::size_t op) const { return m_marks[op].end->time(); }
    int graphs() const { return m_graphs.captured(); }

private:
    struct Marks
    {
        std::unique_ptr<DeviceEvent> begin, end; // created when the op is first queued
    };

    const Device* m_gpu;
    OpGraphs m_graphs;
    std::vector<Marks> m_marks;                    // [op]
    std::vector<std::atomic<std::int64_t>> m_took; // [op]
    std::deque<std::size_t> m_ahead;
};

// Waits until hasPassed() returns true, first by polling, then by sleeping between polls. Returns
// false as soon as goesOn(ns waited so far) returns false.
template<class HasPassed, class GoesOn>
bool awaitGpu(HasPassed hasPassed, GoesOn goesOn)
{
    constexpr std::int64_t kPolling = 50'000; // time of polling before the first sleep, in ns
    for (PatientClock clock; !hasPassed();) {
        const std::int64_t waited = clock.look();
        if (!goesOn(waited))
            return false;
        if (waited > kPolling)
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    return true;
}

} // namespace engine
