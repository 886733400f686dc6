#include "engine/exec/worker.h"

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/exec/patience.h"

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
    pthread_setaffinity_np(thread.native_handle(), sizeof(cores), &cores); // errors are ignored
}

// Thrown in an op whose GPU was abandoned.
struct Abandoned
{ };

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

Worker::Worker(const Setup& setup)
    : m_setup(setup)
    , m_gpu(setup.pipeline.executorDeviceOf(setup.device, setup.copy))
    , m_firstOp(OpIndex(setup.pipeline.lowered()).of(setup.device, 0))
    , m_times(setup.pipeline.lowered().on(setup.device).size())
    , m_ops(m_gpu, setup.pipeline.graphs(), m_times.size())
    , m_thread([this] { loop(); })
{
    if (m_gpu != nullptr)
        setup.pipeline.device(setup.device, setup.copy).awaitQueue = [this] { awaitGradient(); };
    if (setup.core)
        pinTo(m_thread, *setup.core);
}

Worker::~Worker()
{
    m_quit.store(true, std::memory_order_relaxed);
    m_start.ring();
    m_thread.join();
}

void Worker::beginIteration(std::uint32_t iteration, const std::atomic<bool>& cancel)
{
    m_iteration = iteration;
    m_isAlone = false;
    m_cancel = &cancel;
    m_oldest.store(0, std::memory_order_relaxed);
    m_queued.store(0, std::memory_order_relaxed);
    m_over.store(false, std::memory_order_relaxed);
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
            if (m_gpu != nullptr)
                m_gpu->bindThread();
            runProgram();
        } catch (const Abandoned&) { // Live reports the cause
        } catch (const std::exception& error) {
            const std::uint32_t at = m_ops.size() == 0 ? position() : m_ops.oldest();
            m_failure
                = describeFault(m_setup.pipeline, {m_setup.device, at, 0, m_setup.copy}, error);
            m_failed.store(true, std::memory_order_release);
            m_setup.pipeline.transport().abort(); // the other devices cannot continue
        }
        m_over.store(true, std::memory_order_relaxed);
        m_setup.end.report();
    }
}

void Worker::runProgram()
{
    const std::uint32_t count = m_times.size();
    m_ops.clear();
    bool goesOn = true;
    for (std::uint32_t i = 0; i < count && goesOn; ++i) {
        m_position.store(i, std::memory_order_relaxed);
        goesOn = !m_cancel->load(std::memory_order_relaxed)
            && runOp({m_setup.device, i, m_firstOp + i, m_setup.copy});
    }
    // Waits for the queued ops even if the run was cancelled. They always end, because they depend
    // only on work queued earlier.
    if (!drain() || !goesOn)
        return;
    takeTimes();
    m_position.store(count, std::memory_order_relaxed);
}

void Worker::runAlone(OpRef ref, std::uint32_t iteration)
{
    m_iteration = iteration;
    m_isAlone = true;
    m_gpu->bindThread();
    const bool goesOn = runOp(ref);
    CHECK(goesOn);                                          // no thread aborts here
    if (m_setup.pipeline.at(ref).kind != OpKind::AllReduce) // all-reduces begin at the last call
        awaitAlone(ref);
}

void Worker::awaitAlone(OpRef ref)
{
    const bool computes = isCompute(m_setup.pipeline.at(ref).kind);
    const auto hasPassed
        = [&] { return computes ? m_ops.hasEnded(ref.position) : m_setup.pipeline.hasPassed(ref); };
    const std::int64_t longest
        = longestOp(m_setup.patience, computes ? tookBefore(ref.position) : 0);
    awaitGpu(hasPassed, [&](std::int64_t waited) {
        if (waited > longest)
            throw EndlessOp(waited);
        return true;
    });
    m_ops.clear();
}

bool Worker::runOp(OpRef ref)
{
    Pipeline& pipeline = m_setup.pipeline;
    const bool computes = isCompute(pipeline.at(ref).kind);
    m_waits.store(true, std::memory_order_relaxed);
    bool goesOn = true;
    while (computes && goesOn && m_ops.size() >= kAhead)
        goesOn = awaitOldest();
    const LaunchScope scope(m_setup.hooks,
                            {ref.copy == 0 ? ref.op : OpOfIteration::kOtherCopy, m_iteration});
    goesOn = goesOn && (computes ? pipeline.awaitInputs(ref) : pipeline.transfer(ref));
    m_waits.store(false, std::memory_order_relaxed);
    if (!goesOn || !computes)
        return goesOn;
    if (m_gpu != nullptr)
        queue(ref);
    else
        compute(ref);
    pipeline.finish(ref);
    return true;
}

void Worker::compute(OpRef ref)
{
    Times& times = m_times[ref.position];
    times.begin = wallTime();
    const std::int64_t cpu = threadCpuTime();
    m_setup.pipeline.compute(ref);
    times.opTime = threadCpuTime() - cpu;
    times.end = wallTime();
}

void Worker::queue(OpRef ref)
{
    m_computing = ref;
    m_ops.queue(ref.position, m_setup.pipeline.at(ref).kind,
                [&] { m_setup.pipeline.compute(ref); });
    m_queued.store(ref.position + 1, std::memory_order_release);
}

// Called in OPT. Records an end where the host reads the gradient, so that the time limit of the op
// applies to this wait; the end is recorded again at the end of the op.
void Worker::awaitGradient()
{
    const std::uint32_t position = m_computing.position;
    m_ops.markEnd(position);
    m_ops.push(position);
    m_queued.store(position + 1, std::memory_order_release);
    if (m_isAlone)
        awaitAlone(m_computing);
    else if (!drain())
        throw Abandoned();
    m_oldest.store(position, std::memory_order_relaxed);
    m_queued.store(position, std::memory_order_release);
}

// False if the GPU was abandoned.
bool Worker::awaitOldest()
{
    const std::uint32_t oldest = m_ops.oldest();
    if (!awaitGpu([&] { return m_ops.hasEnded(oldest); },
                  [this](std::int64_t) { return !m_abandoned.load(std::memory_order_relaxed); }))
        return false;
    m_oldest.store(oldest + 1, std::memory_order_relaxed);
    m_ops.popOldest();
    return true;
}

bool Worker::drain()
{
    m_waits.store(true, std::memory_order_relaxed);
    bool ended = true;
    while (ended && m_ops.size() > 0)
        ended = awaitOldest();
    m_waits.store(false, std::memory_order_relaxed);
    return ended;
}

void Worker::takeTimes()
{
    for (std::size_t i = 0; i < m_times.size(); ++i)
        if (m_ops.wasQueued(i))
            m_times[i] = {m_ops.beginOf(i), m_ops.endOf(i), m_ops.takeTime(i)};
}

bool Worker::hasUnfinished() const
try {
    return m_ops.size() > 0 && !m_ops.hasEnded(m_ops.oldest());
} catch (const std::exception&) {
    return false; // the device has failed
}

std::uint32_t Worker::unfinished() const
{
    const std::uint32_t queued = m_queued.load(std::memory_order_acquire);
    for (std::uint32_t i = ended(); i < queued; ++i)
        if (m_ops.wasQueued(i) && !m_ops.hasEnded(i))
            return i;
    return position();
}

std::optional<std::uint32_t> Worker::running() const
{
    const std::uint32_t op = unfinished();
    if (op < m_queued.load(std::memory_order_acquire) && m_ops.wasQueued(op) && m_ops.hasBegun(op))
        return op;
    return std::nullopt;
}

std::vector<int> allowedCores()
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    std::vector<int> cores;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
        for (unsigned core = 0; core < CPU_SETSIZE; ++core)
            if (CPU_ISSET(core, &allowed))
                cores.push_back(core);
    return cores;
}

} // namespace engine
