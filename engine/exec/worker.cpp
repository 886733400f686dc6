#include "engine/exec/worker.h"

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/exec/op_patience.h"
#include "engine/exec/patient_clock.h"

#include <pthread.h>
#include <sched.h>

#include <exception>
#include <utility>

namespace engine {
namespace {

void pinTo(std::thread& thread, int core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<unsigned>(core), &cores);
    pthread_setaffinity_np(thread.native_handle(), sizeof(cores), &cores); // a wish: may fail
}

// How long a thread looks whether its GPU is done before it takes naps.
constexpr std::int64_t kLook = 50'000; // ns
constexpr std::chrono::microseconds kNap{20};

std::vector<Worker::Marks> makeMarks(const Device* seat, std::span<const Op> program)
{
    std::vector<Worker::Marks> marks(seat != nullptr ? program.size() : 0);
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (isCompute(program[i].kind))
            marks[i] = {seat->makeEvent(Device::Timed::Yes), seat->makeEvent(Device::Timed::Yes)};
    return marks;
}

// Thrown out of an op for whose GPU nobody waits any more.
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
    , m_seat(setup.pipeline.seatOf(setup.device, setup.copy))
    , m_firstOp(OpIndex(setup.pipeline.lowered()).of(setup.device, 0))
    , m_times(setup.pipeline.lowered().on(setup.device).size())
    , m_took(m_times.size())
    , m_graphs(setup.pipeline.graphs(), m_seat != nullptr ? m_seat->lane() : nullptr,
               m_times.size())
    , m_marks(makeMarks(m_seat, setup.pipeline.lowered().on(setup.device)))
    , m_thread([this] { loop(); })
{
    if (m_seat != nullptr)
        setup.pipeline.device(setup.device, setup.copy).awaitLane = [this] { awaitGradient(); };
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
            if (m_seat != nullptr)
                m_seat->bindThread();
            runProgram();
        } catch (const Abandoned&) { // who abandoned it says why
        } catch (const std::exception& error) {
            const std::uint32_t at = m_ahead.empty() ? position() : m_ahead.front();
            m_failure
                = describeFault(m_setup.pipeline, {m_setup.device, at, 0, m_setup.copy}, error);
            m_failed.store(true, std::memory_order_release);
            m_setup.pipeline.transport().abort(); // the others cannot go on without it
        }
        m_over.store(true, std::memory_order_relaxed);
        m_setup.end.report();
    }
}

void Worker::runProgram()
{
    const auto count = static_cast<std::uint32_t>(m_times.size());
    m_ahead.clear();
    bool goesOn = true;
    for (std::uint32_t i = 0; i < count && goesOn; ++i) {
        m_position.store(i, std::memory_order_relaxed);
        goesOn = !m_cancel->load(std::memory_order_relaxed)
            && runOp({m_setup.device, i, m_firstOp + i, m_setup.copy});
    }
    // What is queued ends in any case: it waits for nothing but what was queued before it.
    if (!drain() || !goesOn)
        return;
    takeTimes();
    m_position.store(count, std::memory_order_relaxed);
}

void Worker::runAlone(OpRef ref, std::uint32_t iteration)
{
    m_iteration = iteration;
    m_isAlone = true;
    m_seat->bindThread();
    const bool goesOn = runOp(ref);
    CHECK(goesOn);                                          // nobody aborts
    if (m_setup.pipeline.at(ref).kind != OpKind::AllReduce) // begins when its last member calls
        awaitAlone(ref);
}

void Worker::awaitAlone(OpRef ref)
{
    const bool computes = isCompute(m_setup.pipeline.at(ref).kind);
    const auto hasPassed
        = [&] { return computes ? hasEnded(ref.position) : m_setup.pipeline.hasPassed(ref); };
    PatientClock clock;
    const std::int64_t longest
        = longestOp(m_setup.patience, computes ? tookBefore(ref.position) : 0);
    while (!hasPassed()) {
        const std::int64_t waited = clock.look();
        if (waited > longest)
            throw EndlessOp(waited);
        if (waited > kLook)
            std::this_thread::sleep_for(kNap);
    }
    m_ahead.clear();
}

bool Worker::runOp(OpRef ref)
{
    Pipeline& pipeline = m_setup.pipeline;
    const bool computes = isCompute(pipeline.at(ref).kind);
    m_waits.store(true, std::memory_order_relaxed);
    bool goesOn = true;
    while (computes && goesOn && m_ahead.size() >= kAhead)
        goesOn = awaitOldest();
    const LaunchScope scope(m_setup.hooks,
                            {ref.copy == 0 ? ref.op : OpOfIteration::kOtherCopy, m_iteration});
    goesOn = goesOn && (computes ? pipeline.awaitInputs(ref) : pipeline.transfer(ref));
    m_waits.store(false, std::memory_order_relaxed);
    if (!goesOn || !computes)
        return goesOn;
    if (m_seat != nullptr)
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
    const Marks& marks = m_marks[ref.position];
    m_computing = ref;
    const auto compute = [&] { m_setup.pipeline.compute(ref); };
    const OpKind kind = m_setup.pipeline.at(ref).kind;
    m_graphs.prepare(ref.position, kind, compute);
    m_seat->lane()->record(*marks.begin);
    m_graphs.run(ref.position, kind, compute);
    m_seat->lane()->record(*marks.end);
    markQueued(ref.position);
}

void Worker::markQueued(std::uint32_t position)
{
    m_ahead.push_back(position);
    m_queued.store(position + 1, std::memory_order_release);
}

// In OPT: as if the op ended where its gradient is looked at, so that it is watched like any other.
// It is marked anew at its end.
void Worker::awaitGradient()
{
    const std::uint32_t position = m_computing.position;
    m_seat->lane()->record(*m_marks[position].end);
    markQueued(position);
    if (m_isAlone)
        awaitAlone(m_computing);
    else if (!drain())
        throw Abandoned();
    m_oldest.store(position, std::memory_order_relaxed);
    m_queued.store(position, std::memory_order_release);
}

bool Worker::hasEnded(std::uint32_t position) const
{
    return m_marks[position].end->hasPassed();
}

// False: it was abandoned.
bool Worker::awaitOldest()
{
    const std::int64_t begin = wallTime();
    while (!hasEnded(m_ahead.front())) {
        if (m_abandoned.load(std::memory_order_relaxed))
            return false;
        if (wallTime() - begin > kLook)
            std::this_thread::sleep_for(kNap);
    }
    m_oldest.store(m_ahead.front() + 1, std::memory_order_relaxed);
    m_ahead.pop_front();
    return true;
}

bool Worker::drain()
{
    m_waits.store(true, std::memory_order_relaxed);
    bool ended = true;
    while (ended && !m_ahead.empty())
        ended = awaitOldest();
    m_waits.store(false, std::memory_order_relaxed);
    return ended;
}

void Worker::takeTimes()
{
    for (std::size_t i = 0; i < m_marks.size(); ++i)
        if (m_marks[i].end != nullptr) {
            Times& times = m_times[i];
            times = {m_marks[i].begin->time(), m_marks[i].end->time(), 0};
            times.opTime = times.end - times.begin;
            m_took[i].store(times.opTime, std::memory_order_relaxed); // the watch looks at it
            m_graphs.judge(i, times.opTime);
        }
}

bool Worker::hasUnfinished() const
try {
    return !m_ahead.empty() && !hasEnded(m_ahead.front());
} catch (const std::exception&) {
    return false; // it has failed, and ends nothing any more
}

std::uint32_t Worker::unfinished() const
{
    const std::uint32_t queued = m_queued.load(std::memory_order_acquire);
    for (std::uint32_t i = ended(); i < queued; ++i)
        if (m_marks[i].end != nullptr && !hasEnded(i))
            return i;
    return position();
}

std::optional<std::uint32_t> Worker::running() const
{
    const std::uint32_t op = unfinished();
    if (op < m_queued.load(std::memory_order_acquire) && m_marks[op].begin != nullptr
        && m_marks[op].begin->hasPassed())
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
                cores.push_back(static_cast<int>(core));
    return cores;
}

} // namespace engine
