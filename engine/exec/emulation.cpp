#include "engine/exec/emulation.h"

#include "engine/base/check.h"
#include "engine/sim/simulate.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kProgressInterval = 50'000'000; // ns: 20 times a second

// What every device holds for the whole run.
void appendFixedMemory(const MemoryPlan& plan, Timeline& timeline)
{
    for (std::size_t d = 0; d < plan.devices.size(); ++d)
        for (std::size_t category = 0; category < kMemoryCategories; ++category)
            if (const Bytes bytes = plan.devices[d].fixed[category]; bytes > 0)
                timeline.memory.push_back({0, bytes, MemoryEvent::kNoOp,
                                           static_cast<std::uint16_t>(d),
                                           static_cast<MemoryCategory>(category)});
}

std::int64_t median(std::vector<std::int64_t>& values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

} // namespace

Emulation::Emulation(const Setup& setup, Run& run)
    : m_setup(setup)
    , m_run(run)
    , m_runner(setup.runner)
    , m_costs(estimatedCosts({setup.runner.lowered, setup.runner.model, setup.link}))
{
    appendFixedMemory(m_runner.plan(), run.timeline);
}

std::int64_t& Emulation::duration(OpRef ref)
{
    return m_costs.of[static_cast<std::size_t>(ref.device.value)][ref.position].duration;
}

Result<void> Emulation::iterate(Iteration iteration, TokenBatches& tokens, const Progress& progress,
                                const std::atomic<bool>& cancel)
{
    const auto order = executionOrder(m_setup.runner.lowered, m_costs);
    if (!order)
        return tl::unexpected(order.error());
    m_runner.beginIteration(tokens);
    if (!runOps(*order, progress, cancel))
        return fail(Error::Code::Cancelled, "cancelled");

    std::vector<std::int64_t> durations(order->size());
    for (const OpTiming& timing : m_timings)
        durations[timing.op] = timing.cpuTime;
    m_memory = m_runner.memoryLog();
    if (iteration.kind == Iteration::Kind::Measured)
        m_measured.push_back(std::move(durations));
    iteration.loss = m_runner.loss();
    iteration.microBatchLoss = m_runner.microBatchLoss();
    return place(m_costs, std::move(iteration));
}

// False when cancelled on the way. Measured durations replace those of the iteration before.
bool Emulation::runOps(const std::vector<OpRef>& order, const Progress& progress,
                       const std::atomic<bool>& cancel)
{
    std::int64_t told = wallTime();
    m_timings.clear();
    m_timings.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (cancel.load(std::memory_order_relaxed))
            return false;
        const OpRef ref = order[i];
        if (!isCompute(m_setup.runner.lowered.on(ref.device)[ref.position].kind)) {
            m_runner.transfer(ref);
            continue;
        }
        m_timings.push_back(timed(ref));
        m_timings.back().order = static_cast<std::uint32_t>(i);
        duration(ref) = m_timings.back().cpuTime;
        if (m_timings.back().wallEnd - told >= kProgressInterval) {
            told = m_timings.back().wallEnd;
            progress(i + 1, order.size());
        }
    }
    return true;
}

OpTiming Emulation::timed(OpRef ref)
{
    OpTiming timing{.op = ref.op,
                    .iteration = static_cast<std::uint32_t>(m_run.timeline.iterations.size())};
    m_runner.prepare(ref);
    timing.wallBegin = wallTime();
    const std::int64_t begin = threadCpuTime();
    m_runner.compute(ref);
    timing.cpuTime = std::max<std::int64_t>(1, threadCpuTime() - begin);
    timing.wallEnd = wallTime();
    m_runner.finish(ref);
    return timing;
}

Result<void> Emulation::place(const OpCosts& costs, Iteration iteration)
{
    const auto number = static_cast<std::uint32_t>(m_run.timeline.iterations.size());
    if (auto placed
        = placeIteration(m_setup.runner.lowered, costs, std::move(iteration), m_run.timeline);
        !placed)
        return placed;
    placeMemory(m_memory, number, static_cast<std::uint32_t>(opCount(m_setup.runner.lowered)),
                m_run.timeline);
    return {};
}

Result<void> Emulation::placeReplay()
{
    CHECK(!m_measured.empty());
    OpCosts medians = m_costs;
    std::vector<std::int64_t> samples(m_measured.size());
    std::size_t op = 0;
    for (std::size_t d = 0; d < medians.of.size(); ++d)
        for (std::size_t i = 0; i < medians.of[d].size(); ++i, ++op) {
            if (!isCompute(m_setup.runner.lowered.program[d][i].kind))
                continue;
            for (std::size_t k = 0; k < samples.size(); ++k)
                samples[k] = m_measured[k][op];
            medians.of[d][i].duration = median(samples);
        }
    Iteration replay;
    replay.kind = Iteration::Kind::Replay;
    return place(medians, replay);
}

} // namespace engine
