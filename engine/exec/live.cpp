#include "engine/exec/live.h"

#include "engine/base/clock.h"
#include "engine/base/median.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/exec/op_costs.h"
#include "engine/pipeline/pipeline.h"
#include "engine/schedule/notation.h"
#include "engine/sim/simulate.h"
#include "engine/transport/in_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace engine {
namespace {

std::string describeFence(const ExecutionPlan& plan, Fence fence)
{
    switch (fence.kind) {
    case Fence::Kind::Credit:
        return fmt::format("a free slot on device {}", plan.messages[fence.id].to.value);
    case Fence::Kind::Arrived:
        return fmt::format("the {} from device {}", describe(plan.messages[fence.id].value),
                           plan.messages[fence.id].from.value);
    case Fence::Kind::Copied: {
        const ExecutionPlan::PlannedCopy& copy = plan.copies[fence.id];
        return fmt::format("a stash that moves {} {}", copy.evicts ? "to" : "from",
                           copy.usesHost() ? "host memory"
                                           : fmt::format("device {}", copy.peer.value));
    }
    default:
        return fmt::format("the all-reduce of stage {}", plan.collectives[fence.id].stage.value);
    }
}

// "" if the op at this position does not wait.
std::string awaited(Pipeline& pipeline, OpRef ref)
{
    const OpPlan& own = pipeline.plan().devices[ref.device].ops[ref.position];
    const Op& op = pipeline.at(ref);
    if (op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient)
        return describeFence(pipeline.plan(), {Fence::Kind::Credit, own.transfer});
    for (const Fence fence : own.waits)
        if (!pipeline.hasPassed(fence, ref.copy))
            return describeFence(pipeline.plan(), fence);
    return {};
}

// Describes in one line which devices wait for what when no op makes progress. `positions` has the
// position of each device in its program: the devices of the first data-parallel pipeline, then
// those of the second, and so on.
std::string describeStandstill(Pipeline& pipeline, std::span<const std::uint32_t> positions)
{
    std::string text = "no device makes progress";
    const int devices = pipeline.lowered().shape.devices;
    for (int i = 0; i < std::ssize(positions); ++i) {
        const std::uint32_t position = positions[i];
        const OpRef ref{DeviceId{i % devices}, position, 0, i / devices};
        const std::span<const Op> program = pipeline.lowered().on(ref.device);
        if (position >= program.size())
            continue;
        const std::string what = awaited(pipeline, ref);
        text += fmt::format("; {} at index {}, {}, {}", deviceText(pipeline, ref), position,
                            toString(program[position]),
                            what.empty() ? "has not started this op" : "waits for " + what);
    }
    return text;
}

constexpr std::chrono::milliseconds kGlance{20}; // interval between checks of the workers
// After an error the threads have this much time (in ns) to return. Then they stop waiting for
// their GPUs. After twice this time iterate() stops waiting for the threads.
constexpr std::int64_t kGrace = 1'000'000'000;

Watchdog::RunningOp runningOp(const Worker& worker)
try {
    const auto position = worker.running();
    return {position, position ? worker.tookBefore(*position) : 0};
} catch (const std::exception&) {
    return {}; // the worker of the failed GPU reports the error
}

} // namespace

Live::Live(const ExecutorSetup& setup, Run& run)
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
} catch (const std::exception& error) { // error of this thread; workers report theirs by failure()
    return fail(Error::Code::Device, messageOf(error));
}

Result<void> Live::runTogether(const Progress& progress, const std::atomic<bool>& cancel)
{
    m_end.begin(m_workers.size());
    const std::uint32_t number = m_run.timeline.iterations.size();
    for (const auto& worker : m_workers)
        worker->beginIteration(number, cancel);
    return watch(progress, cancel);
}

// Whether this iteration runs one op at a time, to measure ops without interference. This is the
// case in the warm-up if devices share a GPU, unless all-reduces are blocking: these would wait for
// ops that run later.
bool Live::runsAlone(const Iteration& iteration) const
{
    std::set<int> gpus;
    for (const ExecutorDevice& executor : m_setup.pipeline.executorDevices)
        gpus.insert(executor.device.gpu());
    return iteration.kind == Iteration::Kind::Warmup
        && gpus.size() < m_setup.pipeline.executorDevices.size()
        && !m_setup.pipeline.blockingAllReduce;
}

// Places the iteration with the durations of ops that ran alone. Messages take no time.
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

// Adds the CPU time and the wall time of the last iteration's measured ops.
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
    const auto copies = static_cast<std::size_t>(m_pipeline.copies());
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
        // Keeps the maximum, because an all-reduce may run after ops that follow it in the program.
        position = std::max(position, ref.position + 1);
        progress((i + 1) * copies, order.size() * copies);
    }
    for (const auto& worker : m_workers)
        worker->takeTimes();
    return {};
}

// Joint ops are placed as one: the span of each lasts from the start of the first joint op to the
// end of the last.
void Live::placeDevice(const Worker& worker, std::uint32_t number, sim::TrackWriter& tracks,
                       Window& window)
{
    const Schedule& schedule = m_setup.pipeline.lowered;
    const std::span<const Op> program = schedule.on(worker.device());
    const std::span<const Worker::Times> times = worker.times();
    const std::uint32_t firstOp = OpIndex(schedule).of(worker.device(), 0);
    for (std::uint32_t i = 0, next = 0; i < program.size(); i = next) {
        next = jointEnd(program, i);
        for (std::uint32_t k = i; k < next; ++k) {
            const OpRef ref{worker.device(), k, firstOp + k};
            const bool computes = isCompute(program[k].kind);
            const TransferTime time = computes ? TransferTime{times[i].begin, times[next - 1].end}
                                               : m_pipeline.timeOf(ref);
            const Window own{time.begin - m_origin, time.end - m_origin};
            tracks.add(ref.device, laneOf(program[k].kind), ref.op, own);
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

// Monitors the device threads. Returns when all workers are done, one has failed, the run is
// cancelled, or no op makes progress.
Result<void> Live::watch(const Progress& progress, const std::atomic<bool>& cancel)
{
    Watchdog watchdog(m_setup.patience, !m_setup.pipeline.executorDevices.empty());
    PatientClock clock;
    std::optional<std::int64_t> gaveUp; // time of the error; nullopt: no error
    std::string why;                    // "" if a worker reports the cause
    while (!m_end.waitFor(kGlance)) {
        const std::int64_t now = clock.look();
        const auto giveUp = [&](std::string cause) {
            gaveUp = now;
            why = std::move(cause);
            stop();
        };
        if (auto cause = gaveUp ? std::nullopt : fault())
            giveUp(*std::move(cause));
        if (!gaveUp && cancel.load(std::memory_order_relaxed))
            stop();
        if (gaveUp && !insist(now - *gaveUp, !why.empty()))
            break;
        std::size_t steps = opsDone();
        for (const auto& worker : m_workers)
            steps += worker->ended();
        if (watchdog.hasMoved(now, steps))
            progress(opsDone(), opsToDo());
        else if (std::string cause = gaveUp ? std::string() : judge(watchdog, now); !cause.empty())
            giveUp(std::move(cause));
    }
    return outcome(why);
}

// "" if a worker reports the error; nullopt if there is no error.
std::optional<std::string> Live::fault()
try {
    if (std::ranges::any_of(m_workers, [](const auto& worker) { return worker->hasFailed(); }))
        return "";
    m_pipeline.transport().poll();
    return std::nullopt;
} catch (const std::exception& error) { // error of the transport, which no op reports
    return messageOf(error);
}

// Why a run without progress must end; "" if it may continue.
std::string Live::judge(Watchdog& watchdog, std::int64_t now)
{
    bool allWait = true;
    std::vector<Watchdog::RunningOp> running;
    for (const auto& worker : m_workers) {
        allWait = allWait && (worker->waits() || worker->isOver());
        running.push_back(runningOp(*worker));
    }
    const Watchdog::Verdict verdict = watchdog.judge(now, allWait, running);
    using Kind = Watchdog::Verdict::Kind;
    m_devicesAreLost
        = verdict.kind == Kind::EndlessOp || verdict.kind == Kind::SilentDriver || m_devicesAreLost;
    if (verdict.kind == Kind::GoOn)
        return {};
    if (verdict.kind == Kind::SilentDriver)
        return fmt::format("the CUDA driver has not responded for {:.1f} s",
                           static_cast<double>(verdict.time) / 1e9);
    if (verdict.kind == Kind::EndlessOp) {
        const Worker& worker = *m_workers[DeviceId{static_cast<int>(verdict.worker)}];
        const OpRef ref{worker.device(), *running[verdict.worker].position, 0, worker.copy()};
        return fmt::format("{}, index {}, {}: {}", deviceText(m_pipeline, ref), ref.position,
                           toString(m_pipeline.at(ref)), endlessText(verdict.time));
    }
    std::vector<std::uint32_t> positions;
    for (const auto& worker : m_workers)
        positions.push_back(worker->unfinished());
    return describeStandstill(m_pipeline, positions);
}

// Makes the threads return after an error that occurred `since` ns ago. If the error is certain,
// they stop waiting for GPUs at once, otherwise after kGrace. Returns false if the threads did not
// return in time.
bool Live::insist(std::int64_t since, bool isCertain)
{
    if (isCertain || since > kGrace)
        for (const auto& worker : m_workers)
            worker->abandon();
    m_devicesAreLost = m_devicesAreLost || since >= 2 * kGrace;
    return since < 2 * kGrace;
}

Result<void> Live::outcome(const std::string& why)
{
    for (const auto& worker : m_workers)
        m_devicesAreLost = m_devicesAreLost || worker->hasUnfinished();
    if (!why.empty())
        return fail(Error::Code::Device, why);
    for (const auto& worker : m_workers)
        if (worker->hasFailed())
            return fail(Error::Code::Device, worker->failure());
    return opsDone() < opsToDo() ? fail(Error::Code::Cancelled, "cancelled") : Result<void>();
}

std::size_t Live::opsDone() const
{
    std::size_t done = 0;
    for (const auto& worker : m_workers)
        done += worker->position();
    return done;
}

std::size_t Live::opsToDo() const
{
    return opCount(m_setup.pipeline.lowered) * static_cast<std::size_t>(m_pipeline.copies());
}

std::vector<std::uint32_t> Live::positions() const
{
    if (!m_alone.empty())
        return m_alone;
    std::vector<std::uint32_t> positions;
    for (const auto& worker : m_workers)
        if (worker->copy() == 0)
            positions.push_back(isOnGpu() ? worker->ended() : worker->position());
    return positions;
}

// Wakes the workers that wait for the transport. The transport cannot be used again.
void Live::stop()
{
    m_pipeline.transport().abort();
}

InterferenceMeter::InterferenceMeter(const Schedule& lowered)
    : m_lowered(lowered)
    , m_alone(opCount(lowered))
    , m_concurrent(opCount(lowered))
{ }

void InterferenceMeter::addAlone(std::span<const OpTiming> iteration)
{
    for (const OpTiming& timing : iteration)
        m_alone[timing.op] = timing.opTime;
}

void InterferenceMeter::addBeside(std::span<const OpTiming> iteration)
{
    for (const OpTiming& timing : iteration)
        m_concurrent[timing.op].push_back(timing.opTime);
}

std::vector<Interference> InterferenceMeter::result() const
{
    std::map<OpKind, Interference> kinds;
    std::size_t index = 0;
    for (const auto& program : m_lowered.program)
        for (const Op& op : program) {
            std::vector<std::int64_t> concurrent = m_concurrent[index];
            const std::int64_t alone = m_alone[index++];
            if (alone <= 0 || concurrent.empty())
                continue;
            Interference& kind = kinds[op.kind];
            kind.kind = op.kind;
            kind.alone += alone;
            kind.concurrent += medianOf(concurrent);
        }
    std::vector<Interference> result;
    for (const auto& [kind, measured] : kinds)
        result.push_back(measured);
    return result;
}

} // namespace engine
