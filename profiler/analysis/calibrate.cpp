#include "profiler/analysis/calibrate.h"

#include "engine/base/median.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/cost_model.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/data_flow.h"
#include "profiler/analysis/lanes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
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

// Finds when the ops of one iteration of an imported run could have started. `windows` has the
// window of each op (OpIndex), or kNotRun if it did not run.
class Readiness
{
public:
    Readiness(const Schedule& schedule, const std::vector<Window>& windows, bool keepsWaits)
        : m_schedule(schedule)
        , m_keepsWaits(keepsWaits)
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
        const auto receive = m_flow.receiveOf(send);
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
        if (!producer || !ran(*producer))
            return std::nullopt;
        const std::int64_t end = m_windows[*producer].end;
        const bool isWait = m_keepsWaits && m_before[consumer] <= end
            && m_flow.deviceOf(*producer) != m_flow.deviceOf(consumer);
        return isWait ? m_windows[consumer].begin : end;
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
    bool m_keepsWaits;
    DataFlow m_flow;
    const std::vector<Window>& m_windows;
    std::vector<std::int64_t> m_before; // by op: end of the previous op on its device
    std::map<Sum, std::int64_t> m_sums; // ends of the all-reduces
};

// Adjusts the windows of an imported run for simulation. In a trace of another program, time passes
// between the arrival of an op's inputs and its start, while the host posts messages and launches
// kernels. This function makes that time part of the op, so that a simulation places the ops where
// the trace has them. A SEND becomes an empty window at the end of its producer, so that the time
// until the end of its RECV is the latency of the message. If the caller keeps waits, because no
// message was recorded, an op of an idle device starts when the input from another device arrived.
void startWhenReady(const Schedule& schedule, std::vector<Window>& windows, bool keepsWaits)
{
    const Readiness readiness(schedule, windows, keepsWaits);
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
    Recorded(const Run& run, Counted which, bool keepsWaits)
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
                startWhenReady(run.schedule, windows, keepsWaits && !hasTransfers(run.schedule));
    }

    const std::vector<std::vector<Window>>& windows() const { return m_windows; }
    RecordedTimes medians() const
    {
        RecordedTimes times(m_index.count());
        const DataFlow flow(m_run.schedule);
        std::vector<std::int64_t> durations, latencies;
        for (std::uint32_t op = 0; op < m_index.count(); ++op) {
            const std::uint32_t receive
                = isSend(flow.op(op).kind) ? flow.receiveOf(op).value_or(kNone) : kNone;
            durations.clear();
            latencies.clear();
            for (const std::vector<Window>& windows : m_windows) {
                if (windows[op] == kNotRun)
                    continue;
                durations.push_back(windows[op].duration());
                if (receive != kNone && windows[receive] != kNotRun)
                    latencies.push_back(
                        std::max<std::int64_t>(0, windows[receive].end - windows[op].end));
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
                const std::size_t end = jointEnd(ops, i);
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

using Cost = OpCosts::Cost;

bool isReceive(OpKind kind)
{
    return isTransfer(kind) && !isSend(kind);
}

// Returns the kind of the transfer in the reverse direction, which moves as many bytes over the
// same link.
OpKind otherWay(OpKind kind)
{
    switch (kind) {
    case OpKind::SendActivation:
        return OpKind::SendGradient;
    case OpKind::SendGradient:
        return OpKind::SendActivation;
    case OpKind::Evict:
        return OpKind::Load;
    default:
        return OpKind::Evict;
    }
}

// Returns the op without the fields that differ between schedules: flags, peer and, for an op of a
// micro-batch, direction and version. The rest identifies the op, because a micro-batch passes each
// stage once.
Op identity(Op op)
{
    op.flags = op.flags == OpFlag::Half ? OpFlag::Half : OpFlag::None;
    op.peer = usesHost(op) ? 0 : Op::kNoPeer; // a copy to the host is another one
    if (hasMicroBatch(op.kind))
        op.replica = op.version = 0;
    return op;
}

// Key of the ops that are assumed to cost the same.
struct Class
{
    OpKind kind = OpKind::Forward;
    StageId stage; // invalid: any stage
    std::uint16_t slice = Op::kWhole;
    bool half = false, acrossNodes = false, usesHost = false;

    friend auto operator<=>(const Class&, const Class&) = default;
};

class PriceBook
{
public:
    PriceBook(const Run& run, const CalibrateOptions& options)
        : m_options(options)
    {
        const OpIndex index(run.schedule);
        RecordedTimes times = Recorded(run, Counted::Typical, true).medians();
        JointTimes(run.schedule, times).divide();
        m_assumedLatency = messageTimeFromWaits(run, measuredWindows(run));
        std::map<Class, Samples> samples;
        for (std::uint32_t number = 0; number < times.size(); ++number) {
            const Op& op = opAt(run.schedule, index, number);
            if (!times[number] || isReceive(op.kind))
                continue;
            const Class own = classOf(op, index.deviceOf(number), options.ofRun);
            samples[own].add(*times[number]);
            if (isSend(op.kind) || isCopy(op.kind))
                samples[anyStage(own)].add(*times[number]);
            if (options.ownTimes)
                m_own.push_back({identity(op), own.acrossNodes, *times[number]});
        }
        for (auto& [of, some] : samples)
            m_medians[of] = {medianOf(some.durations), medianOf(some.latencies)};
        std::ranges::sort(m_own, {}, &Own::key);
    }

    bool isEmpty() const { return m_medians.empty(); }
    std::optional<Cost> of(const Op& op, DeviceId device) const
    {
        const Class wanted = classOf(op, device, m_options.ofSchedule);
        if (const auto own = std::ranges::lower_bound(
                m_own, std::pair(identity(op), wanted.acrossNodes), {}, &Own::key);
            own != m_own.end() && own->key() == std::pair(identity(op), wanted.acrossNodes))
            return own->cost;
        if (isSend(op.kind) || isCopy(op.kind))
            return link(wanted);
        const auto median = find(wanted);
        return median || !m_options.inputShare ? median : derived(wanted);
    }

private:
    struct Samples
    {
        std::vector<std::int64_t> durations, latencies;

        void add(const Cost& cost)
        {
            durations.push_back(cost.duration);
            latencies.push_back(cost.latency);
        }
    };
    struct Own
    {
        Op op;
        bool acrossNodes = false;
        Cost cost;

        std::pair<Op, bool> key() const { return {op, acrossNodes}; }
    };

    Class classOf(const Op& op, DeviceId device, const std::optional<Mapping>& mapping) const
    {
        const int node = m_options.devicesPerNode;
        const bool leaves = op.peer != Op::kNoPeer && node > 0;
        const bool across = leaves
            && (mapping ? mapping->tier(device.value, op.peer) == LinkTier::AcrossNodes
                        : device.value / node != op.peer / node);
        return {op.kind, op.stage, op.slice, op.flags == OpFlag::Half, across, usesHost(op)};
    }
    static Class anyStage(Class of)
    {
        of.stage = StageId{};
        return of;
    }
    std::optional<Cost> find(const Class& of) const
    {
        const auto found = m_medians.find(of);
        return found == m_medians.end() ? std::nullopt : std::optional(found->second);
    }
    std::optional<Cost> link(Class of) const
    {
        const Class back{otherWay(of.kind), of.stage, of.slice, of.half, of.acrossNodes};
        for (const Class& candidate : {of, anyStage(of), back, anyStage(back)})
            if (const auto cost = find(candidate))
                return cost;
        return isSend(of.kind) && m_assumedLatency > 0 ? std::optional(Cost{0, m_assumedLatency})
                                                       : std::nullopt;
    }
    std::optional<Cost> derived(Class of) const
    {
        const auto ofKind = [&of, this](OpKind kind) {
            of.kind = kind;
            return find(of);
        };
        if (of.kind == OpKind::Backward) {
            const auto input = ofKind(OpKind::BackwardInput);
            const auto weight = ofKind(OpKind::BackwardWeight);
            return input && weight ? std::optional(Cost{input->duration + weight->duration, 0})
                                   : std::nullopt;
        }
        const bool isInput = of.kind == OpKind::BackwardInput;
        if (!isInput && of.kind != OpKind::BackwardWeight)
            return std::nullopt;
        const auto whole = ofKind(OpKind::Backward);
        if (!whole)
            return std::nullopt;
        const auto input = std::llround(whole->duration * m_options.inputShare->value());
        return Cost{isInput ? input : whole->duration - input, 0};
    }

    const CalibrateOptions& m_options;
    std::map<Class, Cost> m_medians;
    std::vector<Own> m_own;            // sorted by identity()
    std::int64_t m_assumedLatency = 0; // of messages, if the run has none
};

Result<void> checkShape(const Shape& run, const Shape& asked)
{
    if (run.stages != asked.stages)
        return invalid("the run has {} stages but the schedule has {}, so their times "
                       "differ; record a run with {} stages, or use D x v = {}",
                       run.stages, asked.stages, asked.stages, run.stages);
    if (asked.slices > 1 && run.slices != asked.slices)
        return invalid("the run has {} slices per micro-batch but the schedule has {}; "
                       "record a run with the same number of slices",
                       run.slices, asked.slices);
    return {};
}

Result<void> checkGroups(const Shape& run, const Schedule& asked)
{
    const auto group = [](const Shape& shape) { return shape.replicas * shape.dataParallel; };
    if (!holds(asked, OpKind::AllReduce) || group(run) == 1 || group(run) == group(asked.shape))
        return {};
    return invalid("the run's all-reduces sum {} copies of a stage but the schedule's "
                   "sum {}; record a run with the same number of copies",
                   group(run), group(asked.shape));
}

Result<OpCosts> typicalCosts(const Run& run, const Schedule& lowered,
                             const CalibrateOptions& options)
{
    if (!whyUnknown(run.info).empty())
        return invalid("the times of this run cannot be predicted from: "
                       + whyUnknownAndRemedy(run.info));
    TRY(checkShape(run.schedule.shape, lowered.shape));
    TRY(checkGroups(run.schedule.shape, lowered));
    const PriceBook prices(run, options);
    if (prices.isEmpty())
        return fail(Error::Code::NotFound,
                    "the run has no measured iteration yet; wait until the first one is recorded");
    OpCosts costs;
    costs.ticksPerUnit = run.info.ticksPerUnit;
    costs.rules = options.rules;
    const bool isImported = run.info.mode == Mode::Imported;
    std::set<OpKind> unknown;
    for (const DeviceId d : lowered.program.ids()) {
        auto& ofDevice = costs.of.emplace_back();
        ofDevice.reserve(lowered.program[d].size());
        for (const Op& op : lowered.program[d]) {
            const auto cost = isReceive(op.kind) ? std::optional(Cost{}) : prices.of(op, d);
            const bool isFree = isImported && !isCopy(op.kind)
                && (!isCompute(op.kind) || op.kind == OpKind::OptimizerStep);
            if (!cost && !isFree)
                unknown.insert(op.kind);
            ofDevice.push_back(cost.value_or(Cost{}));
        }
    }
    TRY(checkTicks(costs));
    if (!unknown.empty())
        return missingTimes(unknown, lowered.scheme);
    return costs;
}

// The duration of the median iteration divided by that of typical ops. Op medians leave out what an
// iteration loses to its slowest ops, so a prediction from them is multiplied by this ratio. 1 for
// a stream, whose ops ran once, and for a run that cannot be simulated.
double lossToVariation(const Run& run, CalibrateOptions options)
{
    const int reported = reportedIteration(run.timeline);
    if (reported < 0 || run.info.mode == Mode::Simulate || run.schedule.shape.windows > 1)
        return 1;
    const auto& iterations = run.timeline.iterations;
    const auto over = [&](const Iteration& typical) {
        const std::int64_t median = iterations[reported].window.duration();
        const std::int64_t own = typical.window.duration();
        return own > 0 ? ratio(median, own) : 1;
    };
    if (iterations.back().kind == Iteration::Kind::Replay)
        return over(iterations.back());
    Schedule own = run.schedule;
    if (run.info.mode == Mode::Imported) { // its messages may be incomplete
        own = keepOps(std::move(own), runsMicroBatch);
        if (!validate(own).empty())
            return 1;
        own = lower(own);
    }
    options.ownTimes = true;
    options.ofSchedule = options.ofRun;
    options.rules = {};
    const auto costs = typicalCosts(run, own, options);
    const auto typical = costs ? simulate(own, *costs) : tl::unexpected(costs.error());
    return typical && !typical->iterations.empty() ? over(typical->iterations.front()) : 1;
}

} // namespace

std::vector<std::vector<Window>> measuredWindows(const Run& run)
{
    return Recorded(run, Counted::Measured, true).windows();
}

std::int64_t messageTimeFromWaits(const Run& run, const std::vector<std::vector<Window>>& windows)
{
    if (hasTransfers(run.schedule))
        return 0;
    const OpIndex index(run.schedule);
    const DataFlow flow(run.schedule);
    std::array<std::vector<std::int64_t>, 2> waits; // for an activation, for a gradient
    for (const std::vector<Window>& ran : windows) {
        IdVector<DeviceId, std::int64_t> free(run.schedule.program.size(), kBeforeAll);
        for (std::uint32_t number = 0; number < index.count(); ++number) {
            const Op& op = flow.op(number);
            const DeviceId device = index.deviceOf(number);
            if (!isCompute(op.kind) || ran[number] == kNotRun)
                continue;
            for (const Value& value : consumes(op, run.schedule.shape)) {
                const auto producer = flow.producer(value, number);
                if (producer && index.deviceOf(*producer) != device && ran[*producer] != kNotRun
                    && free[device] <= ran[*producer].end)
                    waits[isBackward(op.kind) ? 1 : 0].push_back(ran[number].begin
                                                                 - ran[*producer].end);
            }
            free[device] = std::max(free[device], ran[number].end);
        }
    }
    return std::max<std::int64_t>(0, (medianOf(waits[0]) + medianOf(waits[1])) / 2);
}

RecordedTimes recordedTimes(const Run& run)
{
    RecordedTimes times = Recorded(run, Counted::Typical, false).medians();
    JointTimes(run.schedule, times).divide();
    return times;
}

tl::unexpected<Error> missingTimes(const std::set<OpKind>& kinds, const std::string& scheme)
{
    std::vector<std::string_view> names;
    for (const OpKind kind : kinds)
        names.push_back(kindName(kind));
    const bool divides = std::ranges::all_of(kinds, isBackward);
    return invalid(
        "the run has no measured time of {}, which {} needs; record a scheme with such ops{}",
        joined(names), scheme,
        divides ? ", or set the share of I in a backward with --split-backward SHARE" : "");
}

Result<OpCosts> calibratedCosts(const Run& run, const Schedule& lowered,
                                const CalibrateOptions& options)
{
    auto costs = TRY(typicalCosts(run, lowered, options));
    const double lost = options.correctsVariation ? lossToVariation(run, options) : 1;
    for (auto& ofDevice : costs.of)
        for (Cost& cost : ofDevice)
            cost = {std::llround(static_cast<double>(cost.duration) * lost),
                    std::llround(static_cast<double>(cost.latency) * lost)};
    TRY(checkTicks(costs));
    return costs;
}

} // namespace profiler
