#include "profiler/whatif/own_replay.h"

#include "engine/base/try.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"

#include <algorithm>
#include <map>

namespace profiler {

using namespace engine;

namespace {

// Divides the common duration of each group of joint ops equally among them.
void divideJoint(OwnReplay::Program& program)
{
    for (std::size_t i = 0; i < program.size();) {
        const std::size_t end = jointEnd(program, i, &OwnReplay::Step::op);
        const auto count = static_cast<std::int64_t>(end - i);
        const std::int64_t whole = program[i].cost.duration;
        for (std::int64_t k = 0; count > 1 && k < count; ++k)
            program[i + static_cast<std::size_t>(k)].cost.duration
                = whole / count + (k >= count - whole % count ? 1 : 0);
        i = end;
    }
}

bool hasMeasured(const Run& run)
{
    return std::ranges::any_of(run.timeline.iterations, [](const Iteration& one) {
        return one.kind != Iteration::Kind::Warmup;
    });
}

// Returns a copy of the run in which warm-up iterations are marked as measured.
Run withWarmup(const Run& run)
{
    Run counted = run;
    for (Iteration& one : counted.timeline.iterations)
        one.kind = Iteration::Kind::Measured;
    return counted;
}

// Simulates an order without messages, as some traces have it. Messages take no time and are not in
// the timeline: the delays of the ops (OwnReplay::Step) have the times of the recorded ones.
Result<Timeline> simulateWithoutMessages(const Schedule& order, const OpCosts& costs)
{
    constexpr std::uint32_t kMessage = 0xFFFFFFFF;
    const Schedule lowered = addP2P(order);
    OpCosts all;
    all.ticksPerUnit = costs.ticksPerUnit;
    std::vector<std::uint32_t> numbers; // OpIndex in `lowered` -> OpIndex in `order`
    std::uint32_t number = 0;
    for (const DeviceId d : lowered.program.ids()) {
        auto& of = all.of.emplace_back();
        std::size_t next = 0;
        for (const Op& op : lowered.program[d]) {
            const bool isMessage = isTransfer(op.kind);
            of.push_back(isMessage ? OpCosts::Cost() : costs.of[d][next++]);
            numbers.push_back(isMessage ? kMessage : number++);
        }
    }
    Timeline timeline = TRY(simulate(lowered, all));
    for (Track& track : timeline.tracks) {
        std::erase_if(track.spans, [&](const Span& span) { return numbers[span.op] == kMessage; });
        for (Span& span : track.spans)
            span.op = numbers[span.op];
    }
    std::erase_if(timeline.tracks, [](const Track& track) { return track.spans.empty(); });
    return timeline;
}

} // namespace

OwnReplay::OwnReplay(const Run& run)
    : m_run(&run)
    , m_programs(run.schedule.program.size())
{
    std::uint32_t number = 0;
    for (const DeviceId d : run.schedule.program.ids())
        for (const Op& op : run.schedule.program[d])
            m_programs[d].push_back({op, number++, 0, {}});
}

Result<OwnReplay> OwnReplay::simulated(OwnReplay replay)
{
    replay.m_timeline = TRY(replay.simulated(replay.m_programs));
    return replay;
}

Result<OwnReplay> OwnReplay::create(const Run& run, int iteration)
{
    if (run.schedule.shape.windows > 1)
        return invalid("the iteration is one window of an asynchronous run, so it cannot be "
                       "simulated alone");
    const IterationTimes times(run, iteration);
    if (!times.isComplete())
        return invalid("ops of the iteration were not recorded, so it cannot be simulated again");
    OwnReplay replay(run);
    replay.takeTimes(times);
    return simulated(std::move(replay));
}

Result<OwnReplay> OwnReplay::ofMedians(const Run& run)
{
    if (run.timeline.iterations.empty())
        return invalid("the run has no iteration yet");
    if (run.schedule.shape.windows > 1)
        return invalid("single windows of an asynchronous scheme cannot be predicted");
    const RecordedTimes times = recordedTimes(hasMeasured(run) ? run : withWarmup(run));
    OwnReplay replay(run);
    for (Program& program : replay.m_programs)
        for (Step& step : program)
            step.cost = times[step.number].value_or(OpCosts::Cost{});
    return simulated(std::move(replay));
}

void OwnReplay::takeTimes(const IterationTimes& times)
{
    m_recorded = times.window().duration();
    for (Program& program : m_programs) {
        for (Step& step : program)
            if (times.ran(step.number))
                step.cost = isSend(step.op.kind)
                    ? messageCost(times, step.number)
                    : OpCosts::Cost{times.of(step.number).duration(), 0};
        divideJoint(program);
    }
    // A schedule with evicts gets no delays, because the simulator already makes its ops wait for
    // evicts and loads.
    if (!holds(m_run->schedule, OpKind::Evict))
        addDelays(times);
}

// The cost of a SEND. The latency is the time from the end of the SEND to the end of the RECV.
OpCosts::Cost OwnReplay::messageCost(const IterationTimes& times, std::uint32_t send) const
{
    const DataFlow& flow = times.flow();
    const auto receive = flow.receiveOf(send);
    const std::int64_t arrival
        = receive && times.ran(*receive) ? times.of(*receive).end : times.of(send).end;
    return {times.of(send).duration(), std::max<std::int64_t>(0, arrival - times.of(send).end)};
}

void OwnReplay::addDelays(const IterationTimes& times)
{
    for (Program& program : m_programs) {
        std::int64_t free = times.window().begin; // time at which the compute lane became free
        // Peer -> time at which the link to it became free.
        std::map<std::uint16_t, std::int64_t> links;
        for (std::size_t i = 0; i < program.size();) {
            const std::size_t end = jointEnd(program, i, &Step::op);
            const Window window = times.of(program[i].number);
            if (isCompute(program[i].op.kind)) {
                std::int64_t ready = free;
                for (std::size_t k = i; k < end; ++k)
                    ready = std::max(ready, times.arrival(program[k].number).value_or(ready));
                program[i].delay = std::max<std::int64_t>(0, window.begin - ready);
                free = std::max(free, window.end);
            } else if (isSend(program[i].op.kind) && times.ran(program[i].number)) {
                std::int64_t& link = links[program[i].op.peer];
                program[i].delay = std::max<std::int64_t>(0, window.begin - std::max(free, link));
                link = window.end;
            }
            i = end;
        }
    }
}

Result<Timeline> OwnReplay::simulated(const Programs& programs) const
{
    Schedule schedule = m_run->schedule;
    OpCosts costs;
    costs.ticksPerUnit = m_run->info.ticksPerUnit;
    for (const DeviceId d : programs.ids()) {
        auto& ops = schedule.program[d];
        ops.clear();
        auto& of = costs.of.emplace_back();
        for (const Step& step : programs[d]) {
            ops.push_back(step.op);
            // During its delay, a message does not use the link, so the delay is added to the
            // latency.
            const bool isMessage = isSend(step.op.kind);
            of.push_back({step.cost.duration + (isMessage ? 0 : step.delay),
                          step.cost.latency + (isMessage ? step.delay : 0)});
        }
    }
    return hasTransfers(schedule) ? simulate(schedule, costs)
                                  : simulateWithoutMessages(schedule, costs);
}

Result<std::int64_t> OwnReplay::with(const Change& change) const
{
    Programs changed = m_programs;
    change(changed);
    return simulated(changed).map(
        [](const Timeline& timeline) { return timeline.iterations.front().window.duration(); });
}

Result<Run> OwnReplay::placed(const Change& change) const
{
    Programs changed = m_programs;
    change(changed);
    return simulated(changed).map([this](Timeline timeline) { return asRun(std::move(timeline)); });
}

// Makes a run of a simulated timeline. In the simulation, the cost of an op includes its delay.
// This function removes the delays from the windows of ops and messages.
Run OwnReplay::asRun(Timeline timeline) const
{
    std::vector<std::int64_t> delays;
    for (const Program& program : m_programs)
        for (std::size_t i = 0; i < program.size(); ++i) {
            const bool isJoint = i > 0 && program[i - 1].op.flags == OpFlag::JointWithNext;
            delays.push_back(isJoint ? delays.back() : program[i].delay);
        }
    for (Track& track : timeline.tracks)
        for (Span& span : track.spans) {
            const std::int64_t delay = delays[span.op];
            span.begin += delay;
            if (track.kind != Track::Kind::Compute)
                span.end += delay;
        }
    Run run;
    run.info = m_run->info;
    run.info.mode = Mode::Simulate;
    run.schedule = m_run->schedule;
    run.timeline = std::move(timeline);
    return run;
}

} // namespace profiler
