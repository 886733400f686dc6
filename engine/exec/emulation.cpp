#include "engine/exec/emulation.h"

#include "engine/base/clock.h"
#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/exec/patience.h"
#include "engine/sim/simulate.h"
#include "engine/transport/in_process.h"

#include <algorithm>
#include <limits>

namespace engine {
namespace {

constexpr std::int64_t kProgressInterval = 50'000'000; // ns: 20 times a second

// Two reads of the thread's CPU clock add this time to an interval. A read is a system call of
// about 400 ns, so it is subtracted.
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

Emulation::Emulation(const ExecutorSetup& setup, Run& run)
    : m_setup(setup)
    , m_run(run)
    , m_pipeline(setup.pipeline, InProcessTransport::SideWork::Inline)
    , m_clockCost(clockCost())
    , m_costs(estimatedCosts({setup.pipeline.lowered, setup.pipeline.model, setup.links}))
    , m_gpu(setup.pipeline.device != nullptr && setup.pipeline.device->queue() != nullptr
                ? setup.pipeline.device
                : nullptr)
    , m_fence(m_gpu != nullptr ? m_gpu->makeEvent(Device::Timed::No) : nullptr)
    , m_ops(m_gpu, setup.pipeline.graphs, opCount(setup.pipeline.lowered))
{
    m_costs.rules = setup.rules;
    appendFixedMemory(m_pipeline.plan(), run.timeline);
    for (int copy = 0; copy < m_pipeline.copies() && m_gpu != nullptr; ++copy)
        for (const DeviceId d : Ids<DeviceId>(setup.pipeline.lowered.shape.devices))
            m_pipeline.device(d, copy).awaitQueue = [this] { awaitQueue("it"); };
}

std::int64_t& Emulation::duration(OpRef ref)
{
    return m_costs.of[ref.device][ref.position].duration;
}

Result<void> Emulation::iterate(Iteration iteration, TokenBatches& tokens, const Progress& progress,
                                const std::atomic<bool>& cancel)
{
    const auto order = TRY(executionOrder(m_pipeline.lowered(), m_costs));
    m_pipeline.beginIteration(tokens);
    TRY(runOps(order, progress, cancel));

    std::vector<std::int64_t> durations(order.size());
    for (const OpTiming& timing : m_timings)
        durations[timing.op] = timing.opTime;
    const bool isStream = m_pipeline.lowered().shape.windows > 1;
    if (iteration.kind == Iteration::Kind::Measured && !isStream)
        m_measured.push_back(std::move(durations));
    iteration.loss = m_pipeline.loss();
    iteration.gradientNorm = m_pipeline.gradientNorm();
    iteration.microBatchLoss = m_pipeline.microBatchLoss();
    auto placed = place(m_costs, std::move(iteration));
    if (placed)
        divideStream(m_pipeline.lowered(), measuredWindows, m_run.timeline, m_timings);
    return placed;
}

// Executes the ops of an iteration. Their measured durations replace the durations of the previous
// iteration.
Result<void> Emulation::runOps(const std::vector<OpRef>& order, const Progress& progress,
                               const std::atomic<bool>& cancel)
{
    const auto copies = static_cast<std::size_t>(m_pipeline.copies());
    std::int64_t reported = wallTime();
    m_timings.clear();
    m_timings.reserve(order.size());
    m_ops.clear();
    m_positions.assign(m_pipeline.lowered().shape.devices, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (cancel.load(std::memory_order_relaxed))
            return fail(Error::Code::Cancelled, "cancelled");
        try {
            runOp(order[i]);
            runCopies(order[i]);
            while (m_ops.size() > kAhead)
                awaitOldest();
        } catch (const std::exception& error) {
            return fault(order, order[i], error);
        }
        std::uint32_t& position = m_positions[order[i].device.value];
        // Keeps the maximum, because an all-reduce may run after ops that follow it in the program.
        position = std::max(position, order[i].position + 1);
        if (const std::int64_t now = wallTime(); now - reported >= kProgressInterval) {
            reported = now;
            progress((i + 1) * copies, order.size() * copies);
        }
    }
    try {
        takeTimes(order);
    } catch (const std::exception& error) {
        return fault(order, order.back(), error);
    }
    return checkClock();
}

// Ops that all take no time would be an iteration of some nanoseconds.
Result<void> Emulation::checkClock() const
{
    constexpr std::int64_t kShort = 1'000'000; // ns; ops of tests may take less than the clock
    const bool hasTime
        = std::ranges::any_of(m_timings, [](const OpTiming& timing) { return timing.opTime > 1; });
    if (hasTime || m_timings.empty())
        return {};
    const std::int64_t wall = m_timings.back().wallEnd - m_timings.front().wallBegin;
    return 0 < wall && wall < kShort
        ? Result<void>()
        : fail(Error::Code::Device, "the clock of this machine does not advance");
}

// On a GPU the faulting op is the oldest one that is still queued.
Result<void> Emulation::fault(const std::vector<OpRef>& order, OpRef ref,
                              const std::exception& error)
{
    m_deviceIsLost = dynamic_cast<const EndlessOp*>(&error) != nullptr;
    if (m_ops.size() > 0)
        ref = *std::ranges::find(order, m_ops.oldest(), &OpRef::op);
    return fail(Error::Code::Device, describeFault(m_pipeline, ref, error));
}

// Time limits start when the oldest op begins, because messages and all-reduces queued before it
// may take as long as an op.
void Emulation::awaitOldest()
{
    const std::size_t op = m_ops.oldest();
    await([&] { return m_ops.hasBegun(op); }, 0, "the work queued before it");
    await([&] { return m_ops.hasEnded(op); }, m_ops.tookBefore(op), "it");
    m_ops.popOldest();
}

void Emulation::awaitQueue(const char* what)
{
    m_gpu->queue()->record(*m_fence);
    while (m_ops.size() > 0)
        awaitOldest();
    await([&] { return m_fence->hasPassed(); }, 0, what);
}

template<class HasPassed>
void Emulation::await(HasPassed hasPassed, std::int64_t before, const char* what) const
{
    awaitGpu(hasPassed, [&](std::int64_t waited) {
        if (waited > longestOp(m_setup.patience, before))
            throw EndlessOp(waited, what);
        return true;
    });
}

// Reads the GPU times of an iteration after its last op has ended.
void Emulation::takeTimes(const std::vector<OpRef>& order)
{
    if (m_gpu == nullptr)
        return;
    awaitQueue("the work queued after it");
    std::size_t next = 0;
    for (const OpRef ref : order)
        if (isCompute(m_pipeline.at(ref).kind)) {
            duration(ref) = std::max<std::int64_t>(1, m_ops.takeTime(ref.op));
            m_timings[next++].opTime = duration(ref);
        }
}

// Runs the same op of the other data-parallel copies, which also train but are not on the timeline.
void Emulation::runCopies(OpRef ref)
{
    const std::uint32_t iteration = m_run.timeline.iterations.size();
    for (ref.copy = 1; ref.copy < m_pipeline.copies(); ++ref.copy) {
        const LaunchScope scope(m_setup.hooks, {OpOfIteration::kOtherCopy, iteration});
        m_pipeline.run(ref);
    }
}

void Emulation::runOp(OpRef ref)
{
    const std::uint32_t iteration = m_run.timeline.iterations.size();
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
    if (m_gpu != nullptr) {
        m_ops.queue(ref.op, m_pipeline.at(ref).kind, [&] { m_pipeline.compute(ref); });
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
    const std::uint32_t number = m_run.timeline.iterations.size();
    TRY(placeIteration(m_pipeline.lowered(), costs, std::move(iteration), m_run.timeline));
    placeMemory(m_pipeline.plan().memory, number, opCount(m_pipeline.lowered()), m_run.timeline);
    return {};
}

OpCosts Emulation::medianCosts() const
{
    OpCosts medians = m_costs;
    std::vector<std::int64_t> samples(m_measured.size());
    std::size_t op = 0;
    for (const DeviceId d : medians.of.ids())
        for (std::size_t i = 0; i < medians.of[d].size(); ++i, ++op) {
            if (!isCompute(m_pipeline.lowered().program[d][i].kind))
                continue;
            std::ranges::transform(m_measured, samples.begin(),
                                   [op](const auto& times) { return times[op]; });
            medians.of[d][i].duration = medianOf(samples);
        }
    return medians;
}

Result<void> Emulation::finish()
{
    if (m_measured.empty())
        return {};
    Iteration replay;
    replay.kind = Iteration::Kind::Replay;
    return place(medianCosts(), replay);
}

} // namespace engine
