#include "engine/exec/live.h"

#include "engine/base/clock.h"
#include "engine/base/try.h"
#include "engine/exec/execution_order.h"
#include "engine/exec/op_costs.h"
#include "engine/exec/op_patience.h"
#include "engine/sim/simulate.h"
#include "engine/sim/track_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace engine {
Live::Live(const Setup& setup, Run& run)
    : m_setup(setup)
    , m_run(run)
    , m_pipeline(setup.pipeline, InProcessTransport::SideWork::Threads)
    , m_interference(setup.pipeline.lowered)
{
    appendFixedMemory(m_pipeline.plan(), run.timeline);
    const std::vector<int> cores = allowedCores();
    const int devices = setup.pipeline.lowered.shape.devices, all = devices * m_pipeline.copies();
    const bool haveCores = all <= std::ssize(cores);
    for (int i = 0; i < all; ++i)
        m_workers.push_back(std::make_unique<Worker>(
            Worker::Setup{m_pipeline, DeviceId{i % devices}, m_end,
                          haveCores ? std::optional(cores[i]) : std::nullopt, setup.hooks,
                          i / devices, setup.patience}));
}

Live::~Live()
{
    stop();
}

Result<void> Live::iterate(Iteration iteration, TokenBatches& tokens, const Progress& progress,
                           const std::atomic<bool>& cancel)
try {
    if (m_origin < 0)
        m_origin = wallTime();
    m_timings.clear();
    m_alone.clear();
    m_pipeline.beginIteration(tokens);
    for (const ExecutorDevice& executor : m_setup.pipeline.executorDevices)
        executor.device.anchor();
    const bool alone = runsAlone(iteration);
    TRY(alone ? runAlone(progress, cancel) : runTogether(progress, cancel));
    iteration.loss = m_pipeline.loss();
    iteration.gradientNorm = m_pipeline.gradientNorm();
    iteration.microBatchLoss = m_pipeline.microBatchLoss();
    place(std::move(iteration));
    addShare();
    if (alone)
        placeAlone();
    else
        m_interference.addBeside(m_timings);
    return {};
} catch (const std::exception& error) { // of a device; workers report theirs by failure()
    return fail(Error::Code::Device, error.what());
}

Result<void> Live::runTogether(const Progress& progress, const std::atomic<bool>& cancel)
{
    m_end.begin(m_workers.size());
    const std::uint32_t number = m_run.timeline.iterations.size();
    for (const auto& worker : m_workers)
        worker->beginIteration(number, cancel);
    return watch(progress, cancel);
}

// Whether this iteration runs one op at a time, to measure without interference: warm-up on devices
// that share a GPU. Not with blocking all-reduces, which would wait for later ops.
bool Live::runsAlone(const Iteration& iteration) const
{
    std::set<int> gpus;
    for (const ExecutorDevice& executor : m_setup.pipeline.executorDevices)
        gpus.insert(executor.device.gpu());
    return iteration.kind == Iteration::Kind::Warmup
        && gpus.size() < m_setup.pipeline.executorDevices.size()
        && !m_setup.pipeline.blockingAllReduce;
}

// Places the iteration with the durations of ops that ran alone, and with free messages.
void Live::placeAlone()
{
    m_interference.addAlone(m_timings);
    OpCosts costs = estimatedCosts({m_pipeline.lowered(), m_setup.pipeline.model});
    const OpIndex index(m_pipeline.lowered());
    for (const OpTiming& timing : m_timings)
        costs.of[index.deviceOf(timing.op)][index.positionOf(timing.op)].duration = timing.opTime;
    if (const auto placed = simulate(m_pipeline.lowered(), costs))
        m_iterationAlone = placed->iterations.front().window.duration();
}

// The CPU time and the wall time of the last iteration's ops.
void Live::addShare()
{
    if (isOnGpu())
        return;
    for (const OpTiming& timing : m_timings) {
        if (m_run.timeline.iterations[timing.iteration].kind != Iteration::Kind::Measured)
            continue;
        const std::int64_t wall = timing.wallEnd - timing.wallBegin;
        m_cpuTime += std::min(timing.opTime, wall);
        m_opWallTime += wall;
    }
}

void Live::addTo(RunInfo& info) const
{
    if (m_opWallTime > 0)
        info.cpuShare = static_cast<double>(m_cpuTime) / static_cast<double>(m_opWallTime);
    info.interference = m_interference.result();
    if (!info.interference.empty())
        info.iterationAlone = m_iterationAlone;
    for (const auto& worker : m_workers)
        info.graphOps += worker->graphs();
}

Result<void> Live::runAlone(const Progress& progress, const std::atomic<bool>& cancel)
{
    const auto order = TRY(executionOrder(
        m_pipeline.lowered(), estimatedCosts({m_pipeline.lowered(), m_setup.pipeline.model})));
    const std::uint32_t number = m_run.timeline.iterations.size();
    m_alone.assign(m_pipeline.lowered().shape.devices, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (cancel.load(std::memory_order_relaxed))
            return fail(Error::Code::Cancelled, "cancelled");
        OpRef ref = order[i];
        try {
            for (; ref.copy < m_pipeline.copies(); ++ref.copy)
                m_workers[m_pipeline.numberOf(ref)]->runAlone(ref, number);
        } catch (const std::exception& error) {
            m_devicesAreLost = dynamic_cast<const EndlessOp*>(&error) != nullptr;
            return fail(Error::Code::Device, describeFault(m_pipeline, ref, error));
        }
        std::uint32_t& position = m_alone[ref.device.value];
        position = std::max(position, ref.position + 1); // all-reduces may come later
        progress(i + 1, order.size());
    }
    for (const auto& worker : m_workers)
        worker->takeTimes();
    return {};
}

// Joint ops share one window.
void Live::placeDevice(const Worker& worker, std::uint32_t number, sim::TrackWriter& tracks,
                       Window& window)
{
    const Schedule& schedule = m_setup.pipeline.lowered;
    const std::span<const Op> program = schedule.on(worker.device());
    const std::span<const Worker::Times> times = worker.times();
    const std::uint32_t firstOp = OpIndex(schedule).of(worker.device(), 0);
    for (std::uint32_t i = 0, next = 0; i < program.size(); i = next) {
        for (next = i + 1; program[next - 1].flags == OpFlag::JointWithNext;)
            ++next;
        for (std::uint32_t k = i; k < next; ++k) {
            const OpRef ref{worker.device(), k, firstOp + k};
            const bool computes = isCompute(program[k].kind);
            const TransferTime time = computes ? TransferTime{times[i].begin, times[next - 1].end}
                                               : m_pipeline.timeOf(ref);
            const Window own{time.begin - m_origin, time.end - m_origin};
            tracks.add(ref.device, sim::laneOf(program[k].kind), ref.op, own);
            window.begin = std::min(window.begin, own.begin);
            window.end = std::max(window.end, own.end);
            if (computes)
                m_timings.push_back({.op = ref.op,
                                     .iteration = number,
                                     .wallBegin = times[k].begin,
                                     .wallEnd = times[k].end,
                                     .opTime = times[k].opTime});
        }
    }
}

void Live::place(Iteration iteration)
{
    const std::uint32_t number = m_run.timeline.iterations.size();
    sim::TrackWriter tracks(m_setup.pipeline.lowered, number, m_run.timeline);
    iteration.window = {INT64_MAX, 0};
    for (const auto& worker : m_workers)
        if (worker->copy() == 0)
            placeDevice(*worker, number, tracks, iteration.window);
    tracks.commit();
    std::ranges::sort(m_timings, {}, &OpTiming::wallBegin);
    for (std::uint32_t i = 0; i < m_timings.size(); ++i)
        m_timings[i].order = i;
    m_run.timeline.iterations.push_back(std::move(iteration));
    placeMemory(m_pipeline.plan().memory, number, opCount(m_setup.pipeline.lowered),
                m_run.timeline);
    divideStream(m_setup.pipeline.lowered, measuredWindows, m_run.timeline, m_timings);
}

} // namespace engine
