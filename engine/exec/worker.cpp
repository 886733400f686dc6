#include "engine/exec/worker.h"

#include <pthread.h>
#include <sched.h>

#include <exception>

namespace engine {
namespace {

void pinTo(std::thread& thread, int core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<unsigned>(core), &cores);
    pthread_setaffinity_np(thread.native_handle(), sizeof(cores), &cores); // a wish: may fail
}

} // namespace

void IterationEnd::begin(std::size_t workers)
{
    const std::lock_guard lock(m_mutex);
    m_missing = workers;
}

void IterationEnd::report()
{
    {
        const std::lock_guard lock(m_mutex);
        --m_missing;
    }
    m_changed.notify_one();
}

bool IterationEnd::waitFor(std::chrono::milliseconds timeout)
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, timeout, [this] { return m_missing == 0; });
}

Worker::Worker(Pipeline& pipeline, DeviceId device, IterationEnd& end, std::optional<int> core)
    : m_pipeline(pipeline)
    , m_device(device)
    , m_end(end)
    , m_firstOp(OpIndex(pipeline.lowered()).of(device, 0))
    , m_times(pipeline.lowered().on(device).size())
    , m_thread([this] { loop(); })
{
    if (core)
        pinTo(m_thread, *core);
}

Worker::~Worker()
{
    m_quit.store(true, std::memory_order_relaxed);
    m_start.ring();
    m_thread.join();
}

void Worker::beginIteration(const std::atomic<bool>& cancel)
{
    m_cancel = &cancel;
    m_position.store(0, std::memory_order_relaxed);
    m_start.ring();
}

void Worker::loop()
{
    for (std::uint32_t begun = 0;; ++begun) {
        while (m_start.epoch() == begun)
            m_start.sleep(begun);
        if (m_quit.load(std::memory_order_relaxed))
            return;
        try {
            runProgram();
        } catch (const std::exception& error) {
            m_failure = describeFault(m_pipeline, {m_device, position(), 0}, error);
            m_pipeline.transport().abort(); // the others cannot go on without it
        }
        m_end.report();
    }
}

void Worker::runProgram()
{
    for (std::uint32_t i = 0; i < m_times.size(); ++i) {
        m_position.store(i, std::memory_order_relaxed);
        if (m_cancel->load(std::memory_order_relaxed) || !runOp({m_device, i, m_firstOp + i}))
            return;
    }
    m_position.store(static_cast<std::uint32_t>(m_times.size()), std::memory_order_relaxed);
}

bool Worker::runOp(OpRef ref)
{
    const bool computes = isCompute(m_pipeline.at(ref).kind);
    m_waits.store(true, std::memory_order_relaxed);
    const bool goesOn = computes ? m_pipeline.awaitInputs(ref) : m_pipeline.transfer(ref);
    m_waits.store(false, std::memory_order_relaxed);
    if (!goesOn || !computes)
        return goesOn;
    Times& times = m_times[ref.position];
    times.begin = wallTime();
    const std::int64_t cpu = threadCpuTime();
    m_pipeline.compute(ref);
    times.cpuTime = threadCpuTime() - cpu;
    times.end = wallTime();
    m_pipeline.finish(ref);
    return true;
}

std::vector<int> allowedCores()
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    std::vector<int> cores;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
        for (unsigned core = 0; core < CPU_SETSIZE; ++core)
            if (CPU_ISSET(core, &allowed))
                cores.push_back(static_cast<int>(core));
    return cores;
}

} // namespace engine
