#pragma once

#include "engine/exec/op_timing.h"
#include "engine/exec/pipeline.h"

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

// The thread of one device: runs the device's program once an iteration, from the first op to the
// last.
class Worker
{
public:
    // `core`: where it is pinned, if anywhere.
    Worker(Pipeline& pipeline, DeviceId device, IterationEnd& end, std::optional<int> core);
    ~Worker(); // it is not in an iteration, or the transport was aborted

    // From the thread that owns it; `end` hears of the end. Within one op of `cancel` it stops.
    void beginIteration(const std::atomic<bool>& cancel);

    // While it runs, from any thread.
    std::uint32_t position() const { return m_position.load(std::memory_order_relaxed); }
    bool waits() const { return m_waits.load(std::memory_order_relaxed); }
    bool isDone() const { return position() == m_times.size(); }

    // Between iterations.
    struct Times // of an op
    {
        std::int64_t begin = 0, end = 0, cpuTime = 0; // wall clock; ns
    };
    std::span<const Times> times() const { return m_times; } // [position]
    const std::string& failure() const { return m_failure; } // "": none
    DeviceId device() const { return m_device; }

private:
    void loop();
    void runProgram();
    bool runOp(OpRef ref);

    Pipeline& m_pipeline;
    DeviceId m_device;
    IterationEnd& m_end;
    std::uint32_t m_firstOp = 0; // OpIndex of its first
    std::vector<Times> m_times;
    std::atomic<std::uint32_t> m_position{0};
    std::atomic<bool> m_waits{false}, m_quit{false};
    const std::atomic<bool>* m_cancel = nullptr;
    Doorbell m_start;
    std::string m_failure;
    std::thread m_thread; // last: it uses the others
};

// The cores this process may use.
std::vector<int> allowedCores();

} // namespace engine
