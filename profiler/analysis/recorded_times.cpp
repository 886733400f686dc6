#include "profiler/analysis/recorded_times.h"

#include "engine/base/median.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/data_flow.h"
#include "profiler/analysis/lanes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace profiler {

using namespace engine;

namespace {
constexpr std::uint32_t kNone = 0xFFFFFFFF;
enum class Counted : std::uint8_t {
    Typical,
    Measured
}; // Typical: the Replay, or the measured iterations if the run has no Replay
constexpr std::int64_t kBeforeAll = std::numeric_limits<std::int64_t>::min();

// Numbers the iterations that `which` selects. Returns the number of each iteration, or kNone if it
// is not selected. All iterations of a stream have the number 0, because the schedule of a stream
// has the ops of all iterations and each op runs once.
std::vector<std::uint32_t> countedIterations(const Run& run, Counted which)
{
    const Timeline& timeline = run.timeline;
    const bool isStream = run.schedule.shape.windows > 1;
    using Kind = Iteration::Kind;
    const bool hasReplay = which == Counted::Typical
        && std::ranges::count(timeline.iterations, Kind::Replay, &Iteration::kind) > 0;
    std::vector<std::uint32_t> numbers;
    std::uint32_t next = 0;
    for (const Iteration& iteration : timeline.iterations) {
        const bool counts = iteration.kind == (hasReplay ? Kind::Replay : Kind::Measured);
        numbers.push_back(!counts ? kNone : isStream ? 0 : next++);
    }
    return numbers;
}

// Returns for each SEND the RECV of its message, and kNone for all other ops.
std::vector<std::uint32_t> receivesOf(const Schedule& schedule, const OpIndex& index)
{
    std::vector<std::uint32_t> byValue(valueCount(schedule.shape), kNone), receives(index.count());
    const auto forEach = [&](auto use) {
        for (std::uint32_t op = 0; op < index.count(); ++op)
            use(op, opAt(schedule, index, op));
    };
    forEach([&](std::uint32_t number, const Op& op) {
        if (op.kind == OpKind::RecvActivation || op.kind == OpKind::RecvGradient)
            byValue[valueIndex(transferredValue(op, schedule.shape), schedule.shape)] = number;
    });
    forEach([&](std::uint32_t number, const Op& op) {
        const bool sends = op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient;
        receives[number] = sends
            ? byValue[valueIndex(transferredValue(op, schedule.shape), schedule.shape)]
            : kNone;
    });
    return receives;
}

// Finds when the ops of one iteration of an imported run could have started. `windows` has the
// window of each op (OpIndex), or kNotRun if it did not run.
class Readiness
{
public:
    Readiness(const Schedule& schedule, const std::vector<Window>& windows)
        : m_schedule(schedule)
        , m_flow(schedule)
        , m_windows(windows)
        , m_before(windows.size(), kBeforeAll)
    {
        for (const DeviceId device : schedule.program.ids())
            findBefore(device);
        for (std::uint32_t op = 0; op < windows.size(); ++op)
            if (m_flow.op(op).kind == OpKind::AllReduce && ran(op))
                m_sums[summedBy(op)] = windows[op].end;
    }

    // Returns the time when the inputs of a compute op had arrived, the previous op of its device
    // had ended and, for an OPT, the all-reduce of its stage had ended.
    std::int64_t readyAt(std::uint32_t op) const
    {
        const Window own = m_windows[op];
        std::int64_t ready = m_before[op];
        if (m_flow.op(op).kind == OpKind::OptimizerStep)
            if (const auto sum = m_sums.find(summedBy(op)); sum != m_sums.end())
                ready = std::max(ready, sum->second);
        for (const Value& value : consumes(m_flow.op(op), m_schedule.shape))
            if (const auto arrival = arrivalOf(value, op))
                ready = std::max(ready, *arrival);
        return ready == kBeforeAll ? own.begin : std::min(ready, own.begin);
    }

    // Returns the part of an all-reduce after the last gradient of its stage. Earlier collectives
    // belong to tensor parallelism or sharded weights, and are parts of F and B.
    Window allReduceOf(std::uint32_t op) const
    {
        Window own = m_windows[op];
        for (const std::uint32_t other : m_flow.contributors(m_flow.op(op).stage))
            if (ran(other))
                own.begin = std::max(own.begin, std::min(m_windows[other].end, own.end));
        return own;
    }

    // Returns the window of a message: from the end of the op that produces the value to the end of
    // the RECV.
    std::optional<Window> messageOf(std::uint32_t send) const
    {
        const Value value = transferredValue(m_flow.op(send), m_schedule.shape);
        const auto producer = m_flow.producer(value, send);
        const auto receive = m_flow.receive(value, otherDevice(m_schedule, m_flow.op(send)));
        if (!producer || !receive || !ran(*producer) || !ran(*receive))
            return std::nullopt;
        const std::int64_t sent = m_windows[*producer].end;
        return Window{sent, std::max(sent, m_windows[*receive].end)};
    }

private:
    using Sum = std::tuple<DeviceId, StageId, int>; // device, stage, replica

    bool ran(std::uint32_t op) const { return m_windows[op] != kNotRun; }

    Sum summedBy(std::uint32_t op) const
    {
        return {m_flow.deviceOf(op), m_flow.op(op).stage, m_flow.op(op).replica};
    }

    std::optional<std::int64_t> arrivalOf(const Value& value, std::uint32_t consumer) const
    {
        const auto receive = m_flow.receive(value, m_flow.deviceOf(consumer));
        if (receive && ran(*receive))
            return m_windows[*receive].end;
        const auto producer = m_flow.producer(value, consumer);
        return producer && ran(*producer) ? std::optional(m_windows[*producer].end) : std::nullopt;
    }

    void findBefore(DeviceId device)
    {
        std::vector<std::uint32_t> ops;
        for (std::uint32_t i = 0; i < m_schedule.program[device].size(); ++i) {
            const std::uint32_t op = m_flow.index().of(device, i);
            if (isCompute(m_flow.op(op).kind) && ran(op))
                ops.push_back(op);
        }
        std::ranges::stable_sort(ops, {}, [this](std::uint32_t op) { return m_windows[op].begin; });
        std::int64_t end = kBeforeAll;
        for (const std::uint32_t op : ops) {
            m_before[op] = end;
            end = std::max(end, m_windows[op].end);
        }
    }

    const Schedule& m_schedule;
    DataFlow m_flow;
    const std::vector<Window>& m_windows;
    std::vector<std::int64_t> m_before; // by op: end of the previous op on its device
    std::map<Sum, std::int64_t> m_sums; // ends of the all-reduces
};

// Adjusts the windows of an imported run for simulation. In a trace of another program, time passes
// between the arrival of an op's inputs and its start, while the host posts messages and launches
// kernels. This function makes that time part of the op, so that a simulation places the ops where
// the trace has them. A SEND becomes an empty window at the end of its producer, so that the time
// until the end of its RECV is the latency of the message.
void startWhenReady(const Schedule& schedule, std::vector<Window>& windows)
{
    const Readiness readiness(schedule, windows);
    std::vector<Window> changed = windows;
    const OpIndex index(schedule);
    for (std::uint32_t op = 0; op < index.count(); ++op) {
        const OpKind kind = opAt(schedule, index, op).kind;
        if (windows[op] == kNotRun)
            continue;
        if (isCompute(kind))
            changed[op].begin = readiness.readyAt(op);
        else if (kind == OpKind::AllReduce)
            changed[op] = readiness.allReduceOf(op);
        else if (const auto message = isSend(kind) ? readiness.messageOf(op) : std::nullopt)
            changed[op] = {message->begin, message->begin};
    }
    windows = std::move(changed);
}

class Recorded
{
public:
    Recorded(const Run& run, Counted which)
        : m_run(run)
        , m_index(run.schedule)
    {
        const std::vector<std::uint32_t> counted = countedIterations(run, which);
        for (const std::uint32_t number : counted)
            if (number == m_windows.size())
                m_windows.emplace_back(m_index.count(), kNotRun);
        for (const Track& track : run.timeline.tracks)
            for (const Span& span : track.spans)
                if (const std::uint32_t k = counted[span.iteration]; k != kNone)
                    m_windows[k][span.op] = withSpan(m_windows[k][span.op], span);
        if (run.info.mode == Mode::Imported)
            for (std::vector<Window>& windows : m_windows)
                startWhenReady(run.schedule, windows);
    }

    const std::vector<std::vector<Window>>& windows() const { return m_windows; }
    RecordedTimes medians() const
    {
        RecordedTimes times(m_index.count());
        const std::vector<std::uint32_t> receives = receivesOf(m_run.schedule, m_index);
        std::vector<std::int64_t> durations, latencies;
        for (std::uint32_t op = 0; op < m_index.count(); ++op) {
            durations.clear();
            latencies.clear();
            for (const std::vector<Window>& windows : m_windows) {
                if (windows[op] == kNotRun)
                    continue;
                durations.push_back(windows[op].duration());
                if (receives[op] != kNone && windows[receives[op]] != kNotRun)
                    latencies.push_back(
                        std::max<std::int64_t>(0, windows[receives[op]].end - windows[op].end));
            }
            if (!durations.empty())
                times[op] = {medianOf(durations), medianOf(latencies)};
        }
        return times;
    }

private:
    const Run& m_run;
    OpIndex m_index;
    std::vector<std::vector<Window>> m_windows; // by counted iteration, then by op
};

class JointTimes
{
public:
    JointTimes(const Schedule& schedule, RecordedTimes& times)
        : m_schedule(schedule)
        , m_times(times)
    { }

    void divide()
    {
        std::uint32_t first = 0;
        std::vector<std::pair<std::uint32_t, std::span<const Op>>> groups;
        for (const auto& ops : m_schedule.program) {
            for (std::size_t i = 0; i < ops.size();) {
                std::size_t end = i + 1;
                while (end < ops.size() && ops[end - 1].flags == OpFlag::JointWithNext)
                    ++end;
                const auto number = first + static_cast<std::uint32_t>(i);
                if (end - i > 1)
                    groups.emplace_back(number, std::span(ops).subspan(i, end - i));
                else if (m_times[number])
                    m_alone[{ops[i].kind, ops[i].stage}].push_back(m_times[number]->duration);
                i = end;
            }
            first += ops.size();
        }
        for (const auto& [number, group] : groups)
            if (m_times[number])
                divide(number, group);
    }

private:
    // The assumed duration of an op, relative to a forward. It is used for a group of joint ops if,
    // for one of the ops, the run has no separate op of the same kind and stage.
    static double usual(OpKind kind) { return kind == OpKind::Backward ? 2 : 1; }

    void divide(std::uint32_t first, std::span<const Op> group)
    {
        std::vector<double> weights;
        for (const Op& op : group) {
            const auto alone = m_alone.find({op.kind, op.stage});
            weights.push_back(
                alone == m_alone.end() ? 0 : static_cast<double>(medianOf(alone->second)));
        }
        if (std::ranges::count(weights, 0.0) > 0)
            std::ranges::transform(group, weights.begin(),
                                   [](const Op& op) { return usual(op.kind); });
        const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
        const double whole = m_times[first]->duration;
        double before = 0;
        std::int64_t given = 0;
        for (std::uint32_t i = 0; i < group.size(); ++i) {
            before += weights[i];
            const std::int64_t until = whole * before / all;
            m_times[first + i] = {until - given, 0};
            given = until;
        }
    }

    const Schedule& m_schedule;
    RecordedTimes& m_times;
    std::map<std::pair<OpKind, StageId>, std::vector<std::int64_t>> m_alone;
};
} // namespace

std::vector<std::vector<Window>> measuredWindows(const Run& run)
{
    return Recorded(run, Counted::Measured).windows();
}

RecordedTimes recordedTimes(const Run& run)
{
    RecordedTimes times = Recorded(run, Counted::Typical).medians();
    JointTimes(run.schedule, times).divide();
    return times;
}

} // namespace profiler
