#include "engine/exec/emulation.h"

#include "engine/base/clock.h"
#include "engine/base/median.h"
#include "engine/exec/op_patience.h"
#include "engine/exec/patient_clock.h"
#include "engine/sim/simulate.h"

#include <algorithm>
#include <limits>
#include <thread>

namespace engine {
namespace {

constexpr std::chrono::microseconds kPollNap{20};      // between two looks at a GPU
constexpr std::int64_t kProgressInterval = 50'000'000; // ns: 20 times a second

// What two readings of the thread's CPU clock add to what lies between them: a system call, some
// 400 ns, which a short op should not be charged with.
std::int64_t clockCost()
{
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 100; ++i) {
        const std::int64_t begin = threadCpuTime();
        least = std::min(least, threadCpuTime() - begin);
    }
    return least;
}

} // namespace

Emulation::Emulation(const Setup& setup, Run& run)
    : m_setup(setup)
    , m_run(run)
    , m_pipeline(setup.pipeline, InProcessTransport::SideLanes::Inline)
    , m_clockCost(clockCost())
    , m_graphs(setup.pipeline.graphs,
               setup.pipeline.device != nullptr ? setup.pipeline.device->lane() : nullptr,
               opCount(setup.pipeline.lowered))
    , m_costs(estimatedCosts({setup.pipeline.lowered, setup.pipeline.unit, setup.link}))
    , m_tookBefore(opCount(setup.pipeline.lowered))
{
    m_costs.rules = setup.rules;
    appendFixedMemory(m_pipeline.plan(), run.timeline);
    for (int copy = 0; copy < m_pipeline.copies() && setup.pipeline.device != nullptr; ++copy)
        for (DeviceId d{0}; d.value < setup.pipeline.lowered.shape.devices; ++d.value)
            m_pipeline.device(d, copy).awaitLane = [this] { awaitGradient(); };
}

std::int64_t& Emulation::duration(OpRef ref)
{
    return m_costs.of[static_cast<std::size_t>(ref.device.value)][ref.position].duration;
}

Result<void> Emulation::iterate(Iteration iteration, TokenBatches& tokens, const Progress& progress,
                                const std::atomic<bool>& cancel)
{
    const auto order = executionOrder(m_pipeline.lowered(), m_costs);
    if (!order)
        return tl::unexpected(order.error());
    m_pipeline.beginIteration(tokens);
    if (auto ran = runOps(*order, progress, cancel); !ran)
        return ran;

    std::vector<std::int64_t> durations(order->size());
    for (const OpTiming& timing : m_timings)
        durations[timing.op] = timing.opTime;
    if (iteration.kind == Iteration::Kind::Measured)
        m_measured.push_back(std::move(durations));
    iteration.loss = m_pipeline.loss();
    iteration.gradientNorm = m_pipeline.gradientNorm();
    iteration.microBatchLoss = m_pipeline.microBatchLoss();
    return place(m_costs, std::move(iteration));
}

// Measured durations replace those of the iteration before.
Result<void> Emulation::runOps(const std::vector<OpRef>& order, const Progress& progress,
                               const std::atomic<bool>& cancel)
{
    std::int64_t told = wallTime();
    m_timings.clear();
    m_timings.reserve(order.size());
    m_queued.clear();
    m_ended = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (cancel.load(std::memory_order_relaxed))
            return fail(Error::Code::Cancelled, "cancelled");
        try {
            runOp(order[i]);
            runCopies(order[i]);
            while (m_queued.size() > m_ended + kAhead)
                awaitOldest();
        } catch (const std::exception& error) {
            return fault(order[i], error);
        }
        if (const std::int64_t now = wallTime(); now - told >= kProgressInterval) {
            told = now;
            progress(i + 1, order.size());
        }
    }
    try {
        while (m_ended < m_queued.size())
            awaitOldest();
        takeTimes(order);
    } catch (const std::exception& error) {
        return fault(order.back(), error);
    }
    return {};
}

// Of a GPU it is known of the op that has not ended.
Result<void> Emulation::fault(OpRef ref, const std::exception& error)
{
    m_deviceIsLost = dynamic_cast<const EndlessOp*>(&error) != nullptr;
    if (m_ended < m_queued.size())
        ref = m_queued[m_ended];
    return fail(Error::Code::Device, describeFault(m_pipeline, ref, error));
}

// Until the next one of a GPU's ops has ended. What lies between two, messages and sums, has the
// patience of an op that nobody has seen yet.
void Emulation::awaitOldest()
{
    awaitStamp(2 * m_ended, longestOp(m_setup.patience, 0), "what is queued before it");
    awaitStamp(2 * m_ended + 1, longestOp(m_setup.patience, m_tookBefore[m_queued[m_ended].op]),
               "it");
    ++m_ended;
}

// In OPT, when its gradient is to be read. The stamp is that of the op's end, of another copy's op
// that of the next one's, and is taken again there.
void Emulation::awaitGradient()
{
    const std::size_t end = 2 * m_queued.size() + 1;
    m_setup.pipeline.device->stamp(end);
    while (m_ended < m_queued.size())
        awaitOldest();
    awaitStamp(end, longestOp(m_setup.patience, 0), "it");
}

void Emulation::awaitStamp(std::size_t stamp, std::int64_t longest, const char* what) const
{
    for (PatientClock clock; !m_setup.pipeline.device->hasPassed(stamp);
         std::this_thread::sleep_for(kPollNap))
        if (const std::int64_t waited = clock.look(); waited > longest)
            throw EndlessOp(waited, what);
}

// A GPU's ops are queued one behind the other and timed by the lane itself; their times are known
// when the last has ended. Their wall clock says when they were queued.
void Emulation::takeTimes(const std::vector<OpRef>& order)
{
    const Device* device = m_setup.pipeline.device;
    if (device == nullptr)
        return;
    device->stamp(2 * m_queued.size());
    awaitStamp(2 * m_queued.size(), longestOp(m_setup.patience, 0), "what is queued behind it");
    std::size_t next = 0;
    for (const OpRef ref : order)
        if (isCompute(m_pipeline.at(ref).kind)) {
            OpTiming& timing = m_timings[next];
            timing.opTime = std::max<std::int64_t>(1, device->nanoseconds(2 * next, 2 * next + 1));
            duration(ref) = timing.opTime;
            m_tookBefore[ref.op] = timing.opTime;
            m_graphs.judge(ref.op, timing.opTime);
            ++next;
        }
}

// The same op of the other copies, which trains as well and stands for itself on no timeline.
void Emulation::runCopies(OpRef ref)
{
    const auto iteration = static_cast<std::uint32_t>(m_run.timeline.iterations.size());
    for (ref.copy = 1; ref.copy < m_pipeline.copies(); ++ref.copy) {
        const LaunchScope scope(m_setup.hooks, {OpOfIteration::kOtherCopy, iteration});
        m_pipeline.run(ref);
    }
}

void Emulation::runOp(OpRef ref)
{
    const auto iteration = static_cast<std::uint32_t>(m_run.timeline.iterations.size());
    const LaunchScope scope(m_setup.hooks, {ref.op, iteration});
    if (!isCompute(m_pipeline.at(ref).kind)) {
        m_pipeline.run(ref);
        return;
    }
    m_timings.push_back(timed(ref));
    duration(ref) = m_timings.back().opTime;
}

OpTiming Emulation::timed(OpRef ref)
{
    OpTiming timing{.op = ref.op,
                    .iteration = static_cast<std::uint32_t>(m_run.timeline.iterations.size()),
                    .order = static_cast<std::uint32_t>(m_timings.size())};
    timing.wallBegin = wallTime();
    if (const Device* device = m_setup.pipeline.device; device != nullptr) {
        const auto compute = [&] { m_pipeline.compute(ref); };
        const OpKind kind = m_pipeline.at(ref).kind;
        m_graphs.prepare(ref.op, kind, compute);
        device->stamp(2 * std::size_t{timing.order}); // takeTimes()
        m_graphs.run(ref.op, kind, compute);
        device->stamp(2 * std::size_t{timing.order} + 1);
        m_queued.push_back(ref);
    } else {
        const std::int64_t begin = threadCpuTime();
        m_pipeline.compute(ref);
        timing.opTime = std::max<std::int64_t>(1, threadCpuTime() - begin - m_clockCost);
    }
    timing.wallEnd = wallTime();
    m_pipeline.finish(ref);
    return timing;
}

Result<void> Emulation::place(const OpCosts& costs, Iteration iteration)
{
    const auto number = static_cast<std::uint32_t>(m_run.timeline.iterations.size());
    if (auto placed
        = placeIteration(m_pipeline.lowered(), costs, std::move(iteration), m_run.timeline);
        !placed)
        return placed;
    placeMemory(m_pipeline.plan().memory, number,
                static_cast<std::uint32_t>(opCount(m_pipeline.lowered())), m_run.timeline);
    return {};
}

Result<void> Emulation::finish()
{
    if (m_measured.empty())
        return {};
    OpCosts medians = m_costs;
    std::vector<std::int64_t> samples(m_measured.size());
    std::size_t op = 0;
    for (std::size_t d = 0; d < medians.of.size(); ++d)
        for (std::size_t i = 0; i < medians.of[d].size(); ++i, ++op) {
            if (!isCompute(m_pipeline.lowered().program[d][i].kind))
                continue;
            for (std::size_t k = 0; k < samples.size(); ++k)
                samples[k] = m_measured[k][op];
            medians.of[d][i].duration = medianOf(samples);
        }
    Iteration replay;
    replay.kind = Iteration::Kind::Replay;
    return place(medians, replay);
}

} // namespace engine
