#include "profiler/why/why.h"

#include "engine/base/cancel.h"
#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/schedule/check/stash.h"
#include "engine/schedule/transfers.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/lanes.h"
#include "profiler/whatif/changes.h"
#include "profiler/whatif/own_replay.h"
#include "profiler/whatif/predict.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>

namespace profiler {

using namespace engine;

namespace {

PathShares sharesOf(const Run& run, const CriticalPath& path)
{
    PathShares shares;
    const OpIndex index(run.schedule);
    for (const PathPart& part : path.parts) {
        const std::int64_t time = part.window.duration();
        const OpKind kind = opAt(run.schedule, index, part.op).kind;
        if (part.kind == PathPart::Kind::Wait) {
            shares.waits += time;
        } else if (part.kind == PathPart::Kind::Work) {
            shares.work[kind] += time;
            ++shares.ops;
        } else if (isTransfer(kind)) {
            shares.messages += time;
            ++shares.messageCount;
        } else {
            shares.otherTransfers += time;
        }
    }
    return shares;
}

// Removes the reasons with the least time until kMostReasons are left. The order is kept.
void keepLargest(Why& why)
{
    while (why.reasons.size() > Why::kMostReasons) {
        const auto least = std::ranges::min_element(why.reasons, {}, &WhyReason::time);
        ++why.smaller;
        why.smallerTime += least->time;
        why.reasons.erase(least);
    }
}

// Clips the window of an op to the iteration.
Window inside(const IterationTimes& times, std::uint32_t op)
{
    const Window all = times.window(), window = times.of(op);
    const std::int64_t begin = std::clamp(window.begin, all.begin, all.end);
    return {begin, std::clamp(window.end, begin, all.end)};
}

IdVector<DeviceId, Windows> workOf(const Run& run, const IterationTimes& times)
{
    IdVector<DeviceId, Windows> work(run.schedule.program.size());
    const DataFlow& flow = times.flow();
    for (std::uint32_t op = 0; op < flow.index().count(); ++op)
        if (isCompute(flow.op(op).kind) && times.ran(op))
            work[flow.deviceOf(op)].push_back(inside(times, op));
    for (Windows& windows : work)
        windows = unite(std::move(windows));
    return work;
}

// Of several devices with the most work, returns the one that has the largest share of the path.
DeviceId busiestDevice(const IdVector<DeviceId, Windows>& work,
                       const IdVector<DeviceId, std::int64_t>& onPath)
{
    DeviceId busiest{0};
    for (const DeviceId d : work.ids())
        if (std::pair(length(work[d]), onPath[d])
            > std::pair(length(work[busiest]), onPath[busiest]))
            busiest = d;
    return busiest;
}

bool isAllReduce(OpKind kind)
{
    return kind == OpKind::AllReduce;
}

class BreakdownFinder
{
public:
    using Kind = Breakdown::Step::Kind;

    BreakdownFinder(const Run& run, const IterationTimes& times,
                    const IdVector<DeviceId, Windows>& work, DeviceId device)
        : m_run(run)
        , m_times(times)
        , m_flow(times.flow())
        , m_work(work)
        , m_device(device)
    {
        for (std::uint32_t op = 0; op < m_flow.index().count(); ++op)
            if (m_flow.deviceOf(op) == device && times.ran(op) && inside(times, op).duration() > 0)
                m_ops.push_back(op);
        std::ranges::stable_sort(m_ops, {}, [&](std::uint32_t op) { return times.of(op).begin; });
    }

    Breakdown find()
    {
        const Window all = m_times.window();
        Window steady{all.end, all.begin}; // from the first op to the end of the last pass
        for (const std::uint32_t op : m_ops)
            if (const OpKind kind = m_flow.op(op).kind; isCompute(kind)) {
                steady.begin = std::min(steady.begin, inside(m_times, op).begin);
                if (kind != OpKind::OptimizerStep)
                    steady.end = std::max(steady.end, inside(m_times, op).end);
            }
        const Windows gaps = subtract({all}, m_work[m_device]);
        Windows middle = clip(gaps, steady);
        Windows after = clip(gaps, {steady.end, all.end});
        addAll(Kind::Fill, clip(gaps, {all.begin, steady.begin}));
        cut(Kind::AllReduces, isAllReduce, after);
        addAll(Kind::Drain, after);
        cut(Kind::AllReduces, isAllReduce, middle);
        cut(Kind::Messages, isTransfer, middle);
        cut(Kind::Copies, isCopy, middle);
        addIdle(middle);
        Breakdown breakdown{m_device, length(m_work[m_device]), {}};
        for (const auto& [kind, step] : m_steps)
            breakdown.steps.push_back(step);
        std::ranges::stable_sort(breakdown.steps, std::ranges::greater{}, &Breakdown::Step::time);
        return breakdown;
    }

private:
    void add(Kind kind, Window piece)
    {
        if (piece.begin >= piece.end)
            return;
        Breakdown::Step& step = m_steps[kind];
        step.kind = kind;
        step.time += piece.duration();
        if (piece.duration() > step.window.duration())
            step.window = piece;
    }
    void addAll(Kind kind, const Windows& pieces)
    {
        for (const Window& piece : pieces)
            add(kind, piece);
    }

    // Moves the times at which an op of the device runs for which isOf() is true from `gaps` to the
    // step `kind`.
    void cut(Kind kind, bool (*isOf)(OpKind), Windows& gaps)
    {
        Windows of;
        for (const std::uint32_t op : m_ops)
            if (isOf(m_flow.op(op).kind))
                of.push_back(inside(m_times, op));
        Windows rest = subtract(gaps, unite(std::move(of)));
        addAll(kind, subtract(gaps, rest));
        gaps = std::move(rest);
    }

    // `pieces` are times between ops of the device, in which none of its transfers runs.
    void addIdle(const Windows& pieces)
    {
        auto next = m_ops.begin();
        for (const Window& piece : pieces) {
            while (next != m_ops.end()
                   && (!isCompute(m_flow.op(*next).kind) || m_times.of(*next).begin < piece.end))
                ++next;
            if (next != m_ops.end())
                addWait(piece, *next);
            else
                add(Kind::Unknown, piece);
        }
    }

    // Divides the time before an op at the times when its last input was begun, was ready and had
    // arrived.
    void addWait(Window piece, std::uint32_t op)
    {
        const auto arrival = m_times.arrival(op);
        const auto producer = lastProducer(op);
        if (!arrival || !producer)
            return add(Kind::Unknown, piece);
        const auto take = [&piece](std::int64_t until) {
            const Window taken{piece.begin, std::clamp(until, piece.begin, piece.end)};
            piece.begin = taken.end;
            return taken;
        };
        const Window made = m_times.of(*producer);
        const bool isWork = isCompute(m_flow.op(*producer).kind);
        const std::int64_t ready
            = isWork ? m_times.arrival(*producer).value_or(piece.begin) : made.begin;
        add(Kind::Others, take(std::min(ready, made.begin)));
        const Window behind = take(made.begin);
        const Windows order = clip(m_work[m_flow.deviceOf(*producer)], behind);
        addAll(Kind::Order, order);
        addAll(Kind::Waits, subtract(clip({behind}, behind), order));
        add(Kind::Others, take(std::min(made.end, *arrival)));
        add(Kind::Messages, take(*arrival));
        add(Kind::Waits, piece);
    }

    std::optional<std::uint32_t> lastProducer(std::uint32_t op) const
    {
        std::optional<std::uint32_t> last;
        for (const Value& value : consumes(m_flow.op(op), m_run.schedule.shape))
            if (const auto producer = m_flow.producer(value, op); producer && m_times.ran(*producer)
                && (!last || m_times.of(*producer).end > m_times.of(*last).end))
                last = producer;
        return last;
    }

    const Run& m_run;
    const IterationTimes& m_times;
    const DataFlow& m_flow;
    const IdVector<DeviceId, Windows>& m_work;
    DeviceId m_device;
    std::vector<std::uint32_t> m_ops; // of the device, that take time, by their start
    std::map<Kind, Breakdown::Step> m_steps;
};

// An op that starts before its input has arrived is reported only if the difference exceeds
// 1/kToleratedShare of the iteration, because clocks of different machines differ a little.
constexpr std::int64_t kToleratedShare = 1000;

// Builds the path backwards: parts are added from the end of the iteration to its start.
class PathBuilder
{
public:
    PathBuilder(const Run& run, CriticalPath& path)
        : m_run(run)
        , m_index(run.schedule)
        , m_path(path)
        , m_from(path.window.end)
        , m_tolerated(path.window.duration() / kToleratedShare)
    { }

    // Adds the op or transfer that precedes the earliest part. Returns false, and sets the fault,
    // if the op was not finished when that part began.
    bool add(const CauseLink& link)
    {
        if (!m_path.parts.empty()
            && (link.window.end > m_from + m_tolerated || link.window.begin > m_from)) {
            m_path.fault = m_path.parts.back().op;
            return false;
        }
        const std::uint32_t next = m_path.parts.empty() ? link.op : m_path.parts.back().op;
        addPart(PathPart::Kind::Wait, next, link.window.end);
        const bool isWork = isCompute(opAt(m_run.schedule, m_index, link.op).kind);
        addPart(isWork ? PathPart::Kind::Work : PathPart::Kind::Transfer, link.op,
                link.window.begin);
        return true;
    }

    void finish()
    {
        if (!m_path.fault && !m_path.parts.empty())
            addPart(PathPart::Kind::Wait, m_path.parts.back().op, m_path.window.begin);
        std::ranges::reverse(m_path.parts);
    }

private:
    void addPart(PathPart::Kind kind, std::uint32_t op, std::int64_t begin)
    {
        begin = std::max(begin, m_path.window.begin);
        if (begin >= m_from)
            return;
        m_path.parts.push_back({kind, op, m_index.deviceOf(op), {begin, m_from}});
        m_from = begin;
    }

    const Run& m_run;
    OpIndex m_index;
    CriticalPath& m_path;
    std::int64_t m_from; // start of the earliest part that was added
    std::int64_t m_tolerated;
};

class BoundFinder
{
public:
    BoundFinder(const Run& run, const IterationTimes& times)
        : m_run(run)
        , m_schedule(run.schedule)
        , m_shape(run.schedule.shape)
        , m_times(times)
        , m_flow(times.flow())
        , m_knowsStashes(knowsMicroBatches(run.info))
    {
        findLinks();
    }

    void addWork(LowerBound& bound) const
    {
        const auto work = workOf(m_run, m_times);
        for (const DeviceId d : work.ids())
            if (const std::int64_t time = length(work[d]); time > bound.work) {
                bound.work = time;
                bound.device = d;
            }
    }

    // Returns when the last op would end if devices could run any number of ops at once. Visits the
    // ops in the order in which they began in the recording, so that producers come before
    // consumers.
    std::int64_t chain() const
    {
        std::vector<std::uint32_t> order;
        for (std::uint32_t op = 0; op < m_flow.index().count(); ++op)
            if (isCompute(m_flow.op(op).kind) && m_times.ran(op))
                order.push_back(op);
        std::ranges::stable_sort(order, {}, [this](std::uint32_t op) {
            return std::pair(m_times.of(op).begin, m_times.of(op).end);
        });
        std::vector<std::int64_t> ends(m_flow.index().count(), 0);
        std::int64_t longest = 0;
        for (const std::uint32_t op : order) {
            std::int64_t begin = 0;
            for (const Value& value : consumes(m_flow.op(op), m_shape))
                if (const auto producer = m_flow.producer(value, op))
                    begin = std::max(begin, ends[*producer] + leastTransit(value, *producer, op));
            ends[op] = begin + inside(m_times, op).duration();
            longest = std::max(longest, ends[op]);
        }
        return longest;
    }

    void addMemory(LowerBound& bound) const
    {
        if (!isMemoryPlain())
            return;
        const auto held = residencies();
        for (const DeviceId d : m_schedule.program.ids()) {
            const std::int64_t peak = peakOf(d);
            const std::int64_t time = peak > 0 ? held[d] / peak : 0;
            if (time <= bound.memory)
                continue;
            bound.memory = time;
            bound.stashes = ratio(peak, stashPartsPerActivation(m_shape));
            if (time > bound.work)
                bound.device = d;
        }
    }

private:
    // Finds the time of the fastest message of each kind between each pair of devices.
    void findLinks()
    {
        for (std::uint32_t op = 0; op < m_flow.index().count(); ++op) {
            if (!isSend(m_flow.op(op).kind) || !m_times.ran(op))
                continue;
            const auto receive = m_flow.receiveOf(op);
            if (!receive || !m_times.ran(*receive))
                continue;
            const DeviceId to = m_flow.deviceOf(*receive);
            const std::int64_t transit
                = std::max<std::int64_t>(0, m_times.of(*receive).end - m_times.of(op).begin);
            const auto [known, isNew]
                = m_links.emplace(std::tuple(m_flow.deviceOf(op), to, m_flow.op(op).kind), transit);
            if (!isNew)
                known->second = std::min(known->second, transit);
        }
    }

    std::int64_t transit(OpKind send, DeviceId from, DeviceId to) const
    {
        const auto found = m_links.find({from, to, send});
        return from == to || found == m_links.end() ? 0 : found->second;
    }
    std::int64_t leastTransit(const Value& value, std::uint32_t producer,
                              std::uint32_t consumer) const
    {
        const OpKind send
            = value.kind == Value::Kind::Activation ? OpKind::SendActivation : OpKind::SendGradient;
        const bool isSent
            = value.kind == Value::Kind::Activation || value.kind == Value::Kind::Gradient;
        return isSent ? transit(send, m_flow.deviceOf(producer), m_flow.deviceOf(consumer)) : 0;
    }

    bool isMemoryPlain() const
    {
        return m_knowsStashes && m_shape.slices == 1 && m_shape.windows == 1
            && !holds(m_schedule, OpKind::Evict) && !holds(m_schedule, OpKind::Recompute);
    }

    std::int64_t peakOf(DeviceId device) const
    {
        std::int64_t held = 0, peak = 0;
        for (const Op& op : m_schedule.program[device]) {
            held += stashChange(op.kind).ownAtBegin * stashParts(op, m_shape);
            peak = std::max(peak, held);
            held += stashChange(op.kind).ownAtEnd * stashParts(op, m_shape);
        }
        return peak;
    }

    // Returns for each device the sum of size x time over all its stashes. The size is
    // stashParts(). The time is that from the start of F to the end of B (or W) if no other
    // micro-batch were in the pipeline.
    IdVector<DeviceId, std::int64_t> residencies() const
    {
        IdVector<DeviceId, std::int64_t> held(m_schedule.program.size(), 0);
        const auto work = durations();
        for (int replica = 0; replica < m_shape.replicas; ++replica)
            for (int m = 0; m < m_shape.microBatches; ++m) {
                // Time from the end of the F of stage s to the arrival of its gradient.
                std::int64_t above = 0;
                for (int s = m_shape.stages - 1; s >= 0; --s) {
                    const DeviceId own = m_schedule.device(replica, StageId{s});
                    const auto found = work.find({replica, s, m});
                    if (found == work.end())
                        break; // the micro-batch is in the other direction (replica)
                    const Passes& of = found->second;
                    held[own] += of.parts * (of.forward + above + of.backward + of.weight);
                    if (s == 0)
                        continue;
                    const DeviceId lower = m_schedule.device(replica, StageId{s - 1});
                    above += of.forward + of.backward + transit(OpKind::SendActivation, lower, own)
                        + transit(OpKind::SendGradient, own, lower);
                }
            }
        return held;
    }

    struct Passes
    {
        std::int64_t forward = 0, backward = 0, weight = 0, parts = 0;
    };
    std::map<std::tuple<int, int, int>, Passes> durations() const
    {
        std::map<std::tuple<int, int, int>, Passes> all;
        for (std::uint32_t n = 0; n < m_flow.index().count(); ++n) {
            const Op& op = m_flow.op(n);
            if (!isPass(op.kind) || !m_times.ran(n) || op.flags == OpFlag::Half)
                continue;
            Passes& of = all[{op.replica, op.stage.value, op.microBatch.value}];
            const std::int64_t time = inside(m_times, n).duration();
            (op.kind == OpKind::Forward              ? of.forward
                 : op.kind == OpKind::BackwardWeight ? of.weight
                                                     : of.backward)
                += time;
            if (op.kind == OpKind::Forward)
                of.parts += stashParts(op, m_shape);
        }
        return all;
    }

    const Run& m_run;
    const Schedule& m_schedule;
    const Shape& m_shape;
    const IterationTimes& m_times;
    const DataFlow& m_flow;
    bool m_knowsStashes;
    std::map<std::tuple<DeviceId, DeviceId, OpKind>, std::int64_t> m_links;
};

// Reasons that take less than 1/kSmallest of the iteration are omitted.
constexpr std::int64_t kSmallest = 600;
// A stage is slow if it takes at least 1 % longer than the others.
constexpr double kUnequal = 0.01;
// The largest number of reasons of the kind Order, and of the kind SlowStage.
constexpr std::size_t kMostOfAKind = 2;

using StageKind = std::pair<StageId, OpKind>;

class ReasonFinder
{
public:
    ReasonFinder(const Run& run, const CriticalPath& path, const IterationTimes& times)
        : m_run(run)
        , m_path(path)
        , m_parts(path.parts)
        , m_times(times)
        , m_flow(times.flow())
    { }

    std::vector<WhyReason> find()
    {
        addFill();
        addDrain();
        addOrders();
        addSlowStages();
        addGroups();
        std::erase_if(m_reasons, [this](const WhyReason& reason) {
            return reason.time * kSmallest < m_path.window.duration();
        });
        std::ranges::stable_sort(m_reasons, {}, [](const WhyReason& r) { return r.window.begin; });
        if (m_run.schedule.shape.windows > 1) // no part of a stream can be simulated alone
            for (WhyReason& reason : m_reasons)
                reason.change.reset();
        return std::move(m_reasons);
    }

private:
    const Op& opOf(std::size_t part) const { return m_flow.op(m_parts[part].op); }
    // Whether the op is neither joint with another op nor a half of a micro-batch.
    bool isAlone(std::uint32_t op) const
    {
        return m_flow.op(op).flags == OpFlag::None
            && (op == 0 || m_flow.op(op - 1).flags != OpFlag::JointWithNext);
    }
    bool isWork(std::size_t part) const { return m_parts[part].kind == PathPart::Kind::Work; }
    bool isStep(std::size_t part) const
    {
        return isWork(part) && opOf(part).kind == OpKind::OptimizerStep;
    }

    // Sets the window and the device of a reason, and adds it to the results.
    void add(WhyReason reason)
    {
        if (reason.parts.empty())
            return;
        Window piece;
        for (const std::size_t p : reason.parts) {
            const Window window = m_parts[p].window;
            piece = piece.end == window.begin && piece.duration() > 0
                ? Window{piece.begin, window.end}
                : window;
            if (piece.duration() > reason.window.duration())
                reason.window = piece;
        }
        reason.device = m_flow.deviceOf(reason.op);
        m_reasons.push_back(std::move(reason));
    }

    void addLargest(std::vector<WhyReason> found)
    {
        std::ranges::stable_sort(found, std::ranges::greater{}, &WhyReason::time);
        for (std::size_t k = 0; k < std::min(found.size(), kMostOfAKind); ++k)
            add(std::move(found[k]));
    }

    std::int64_t timeOf(const std::vector<std::size_t>& parts) const
    {
        std::int64_t time = 0;
        for (const std::size_t p : parts)
            time += m_parts[p].window.duration();
        return time;
    }

    static std::vector<std::size_t> range(std::size_t begin, std::size_t end)
    {
        std::vector<std::size_t> parts;
        for (std::size_t p = begin; p < end; ++p)
            parts.push_back(p);
        return parts;
    }

    // Adds a Fill reason for the start of the path. The fill lasts as long as each op on the path
    // is the first op of its device.
    void addFill()
    {
        std::size_t last = 0;
        int works = 0;
        for (std::size_t p = 0; p < m_parts.size(); ++p) {
            if (!isWork(p))
                continue;
            if (m_times.before()[m_parts[p].op] != IterationTimes::kNone)
                break;
            last = p;
            ++works;
        }
        if (works < 2 || m_path.fault)
            return;
        add({.kind = WhyReason::Kind::Fill,
             .time = m_parts[last].window.begin - m_path.window.begin,
             .parts = range(0, last),
             .op = m_parts[last].op,
             .count = works - 1,
             .change = moreChunks()});
    }

    // Proposes interleaved 1F1B with twice the chunks, for 1F1B, GPipe and interleaved 1F1B. Other
    // schemes place their chunks by their own rules, so nothing is proposed.
    std::optional<WhyChange> moreChunks() const
    {
        const std::string& scheme = m_run.schedule.scheme;
        const Shape& shape = m_run.schedule.shape;
        if (scheme != "1f1b" && scheme != "gpipe" && scheme != "interleaved-1f1b")
            return std::nullopt;
        return WhyChange{.kind = WhyChange::Kind::Chunks, .chunks = 2 * shape.chunks()};
    }

    // Adds a Drain reason for the end of the path. The drain begins when the first device on the
    // path finishes its last op, and ends with the last op on the path. Optimizer steps are
    // ignored.
    void addDrain()
    {
        std::vector<bool> isFollowed(m_flow.index().count(), false);
        for (std::uint32_t op = 0; op < m_flow.index().count(); ++op)
            if (const std::uint32_t before = m_times.before()[op];
                before != IterationTimes::kNone && m_flow.op(op).kind != OpKind::OptimizerStep)
                isFollowed[before] = true;
        std::size_t end = m_parts.size();
        while (end > 0 && (!isWork(end - 1) || isStep(end - 1)))
            --end;
        std::size_t first = end;
        int works = 0;
        for (std::size_t p = end; p-- > 0;) {
            if (!isWork(p))
                continue;
            if (isFollowed[m_parts[p].op])
                break;
            first = p;
            ++works;
        }
        if (works < 2)
            return;
        m_drain = first + 1;
        add({.kind = WhyReason::Kind::Drain,
             .time = m_parts[end - 1].window.end - m_parts[first].window.end,
             .parts = range(first + 1, end),
             .op = m_parts[first].op,
             .count = works - 1,
             .change = isSplittable() ? std::optional(WhyChange{WhyChange::Kind::SplitBackward})
                                      : std::nullopt});
    }

    bool isSplittable() const
    {
        return holds(m_run.schedule, OpKind::Backward) && !anyOp(m_run.schedule, [](const Op& op) {
                   return op.flags != OpFlag::None || op.kind == OpKind::BackwardWeight;
               });
    }

    // Adds Order reasons. Two consecutive ops on the path give a reason if they could be swapped
    // and the second was ready before the first had ended.
    void addOrders()
    {
        // The order of one device does not matter, and copies of stashes fix the order.
        if (m_run.schedule.shape.devices < 2 || holds(m_run.schedule, OpKind::Evict))
            return;
        std::vector<WhyReason> found;
        for (std::size_t p = 1; p < std::min(m_parts.size(), m_drain); ++p) {
            const std::uint32_t later = m_parts[p].op, earlier = m_parts[p - 1].op;
            if (!isWork(p) || !isWork(p - 1) || !canSwap(earlier, later))
                continue;
            const auto arrival = m_times.arrival(later);
            const Window front = m_parts[p - 1].window;
            const std::int64_t since = std::max(arrival.value_or(front.end), front.begin);
            if (since >= front.end)
                continue;
            found.push_back({.kind = WhyReason::Kind::Order,
                             .time = front.end - since,
                             .parts = {p - 1},
                             .op = later,
                             .change = WhyChange{
                                 .kind = WhyChange::Kind::Earlier, .op = later, .other = earlier}});
        }
        addLargest(std::move(found));
    }

    // Whether the order of two consecutive ops of the path can be changed. Both must be an F, B, I
    // or W of one device, differ in kind, and not depend on each other. The later one must not be a
    // W, because a W is never urgent.
    bool canSwap(std::uint32_t earlier, std::uint32_t later) const
    {
        const Op &first = m_flow.op(earlier), &second = m_flow.op(later);
        if (!isPass(first.kind) || !isPass(second.kind) || !isAlone(earlier) || !isAlone(later)
            || first.kind == second.kind || second.kind == OpKind::BackwardWeight)
            return false;
        const bool isOfOne = first.microBatch == second.microBatch && first.stage == second.stage;
        return !isOfOne && m_flow.deviceOf(earlier) == m_flow.deviceOf(later);
    }

    std::map<StageKind, std::int64_t> medians() const
    {
        std::map<StageKind, std::vector<std::int64_t>> times;
        for (std::uint32_t n = 0; n < m_flow.index().count(); ++n) {
            const Op& op = m_flow.op(n);
            if (isPass(op.kind) && isAlone(n) && m_times.ran(n) && op.slice == Op::kWhole)
                times[{op.stage, op.kind}].push_back(m_times.of(n).duration());
        }
        std::map<StageKind, std::int64_t> medians;
        for (auto& [key, of] : times)
            medians[key] = medianOf(of);
        return medians;
    }

    void addSlowStages()
    {
        const auto median = medians();
        std::map<StageKind, std::vector<std::size_t>> onPath;
        for (std::size_t p = 0; p < m_parts.size(); ++p)
            if (isWork(p) && isAlone(m_parts[p].op)
                && median.contains({opOf(p).stage, opOf(p).kind}))
                onPath[{opOf(p).stage, opOf(p).kind}].push_back(p);
        std::vector<WhyReason> found;
        for (const auto& [key, parts] : onPath) {
            std::vector<std::int64_t> others;
            for (const auto& [other, time] : median)
                if (other.second == key.second && other.first != key.first)
                    others.push_back(time);
            const double fair = medianOf(others);
            const double own = median.at(key);
            if (fair <= 0 || own / fair - 1 < kUnequal)
                continue;
            const double time = static_cast<double>(timeOf(parts)) * (1 - fair / own);
            found.push_back({.kind = WhyReason::Kind::SlowStage,
                             .time = static_cast<std::int64_t>(time),
                             .parts = parts,
                             .op = m_parts[parts.front()].op,
                             .count = static_cast<int>(parts.size()),
                             .excess = own / fair - 1,
                             .change = WhyChange{.kind = WhyChange::Kind::EqualStage,
                                                 .stage = key.first,
                                                 .opKind = key.second,
                                                 .share = fair / own}});
        }
        addLargest(std::move(found));
    }

    // Adds one reason for all messages on the path, one for all waits, one for all all-reduces, and
    // so on.
    void addGroups()
    {
        using Kind = WhyReason::Kind;
        using Change = WhyChange::Kind;
        std::map<Kind, std::vector<std::size_t>> groups;
        for (std::size_t p = 0; p < m_parts.size(); ++p) {
            const OpKind kind = opOf(p).kind;
            if (m_parts[p].kind == PathPart::Kind::Wait)
                groups[Kind::Waits].push_back(p);
            else if (isTransfer(kind))
                groups[Kind::Messages].push_back(p);
            else if (isAllReduce(kind))
                groups[Kind::AllReduces].push_back(p);
            else if (isCopy(kind))
                groups[Kind::Copies].push_back(p);
            else if (kind == OpKind::Recompute)
                groups[Kind::Recompute].push_back(p);
        }
        for (const auto& [kind, change] :
             {std::pair(Kind::Messages, Change::FastLinks), std::pair(Kind::Waits, Change::NoWaits),
              std::pair(Kind::AllReduces, Change::FastAllReduces),
              std::pair(Kind::Recompute, Change::NoRecompute),
              std::pair(Kind::Copies, Change::FastCopies)}) {
            const auto found = groups.find(kind);
            if (found == groups.end())
                continue;
            const auto longest = std::ranges::max_element(
                found->second, {}, [this](std::size_t p) { return m_parts[p].window.duration(); });
            add({.kind = kind,
                 .time = timeOf(found->second),
                 .parts = found->second,
                 .op = m_parts[*longest].op,
                 .count = static_cast<int>(found->second.size()),
                 .change = WhyChange{change}});
        }
    }

    const Run& m_run;
    const CriticalPath& m_path;
    const std::vector<PathPart>& m_parts;
    const IterationTimes& m_times;
    const DataFlow& m_flow;
    std::size_t m_drain = static_cast<std::size_t>(-1); // index of the first part in the drain
    std::vector<WhyReason> m_reasons;
};

using Step = OwnReplay::Step;

std::int64_t scaled(std::int64_t time, double factor)
{
    return std::llround(static_cast<double>(time) * factor);
}

template<class Change>
OwnReplay::Change forEachStep(Change change)
{
    return [change](OwnReplay::Programs& programs) {
        for (OwnReplay::Program& program : programs)
            for (Step& step : program)
                change(step);
    };
}

// Replaces every B by I and W. The SENDs that follow a B are placed between I and W.
void splitBackward(OwnReplay::Program& program, double inputShare, double splitCost)
{
    OwnReplay::Program split;
    for (std::size_t i = 0; i < program.size(); ++i) {
        if (program[i].op.kind != OpKind::Backward) {
            split.push_back(program[i]);
            continue;
        }
        Step input = program[i], weight = program[i];
        weight.cost.duration = scaled(weight.cost.duration, splitCost);
        input.op.kind = OpKind::BackwardInput;
        input.cost.duration = scaled(weight.cost.duration, inputShare);
        weight.op.kind = OpKind::BackwardWeight;
        weight.cost.duration -= input.cost.duration;
        weight.delay = 0;
        split.push_back(input);
        for (; i + 1 < program.size() && isSend(program[i + 1].op.kind); ++i)
            split.push_back(program[i + 1]);
        split.push_back(weight);
    }
    program = std::move(split);
}

// Moves an op, together with the SENDs that follow it, in front of another op of the same device.
void moveBefore(OwnReplay::Programs& programs, std::uint32_t op, std::uint32_t other)
{
    for (OwnReplay::Program& program : programs) {
        const auto first = std::ranges::find(program, other, &Step::number);
        const auto begin = std::ranges::find(program, op, &Step::number);
        if (first == program.end() || begin == program.end() || begin < first)
            continue;
        auto end = begin + 1;
        while (end != program.end() && isSend(end->op.kind))
            ++end;
        std::rotate(first, begin, end);
    }
}

// Returns a change that halves the costs of the kinds of op that isKind() accepts.
template<class IsKind>
OwnReplay::Change halved(IsKind isKind)
{
    return forEachStep([isKind](Step& step) {
        if (!isKind(step.op.kind))
            return;
        step.cost.duration /= 2;
        step.cost.latency /= 2;
    });
}

// I and W take `splitCost` times as long as the B that they replace.
OwnReplay::Change ownChange(const WhyChange& change, double inputShare, double splitCost)
{
    using Kind = WhyChange::Kind;
    switch (change.kind) {
    case Kind::SplitBackward:
        return [inputShare, splitCost](OwnReplay::Programs& programs) {
            for (OwnReplay::Program& program : programs)
                splitBackward(program, inputShare, splitCost);
        };
    case Kind::Earlier:
        return [change](OwnReplay::Programs& programs) {
            moveBefore(programs, change.op, change.other);
        };
    case Kind::EqualStage:
        return forEachStep([change](Step& step) {
            if (step.op.kind == change.opKind && step.op.stage == change.stage)
                step.cost.duration = scaled(step.cost.duration, change.share);
        });
    case Kind::NoWaits:
        return forEachStep([](Step& step) { step.delay = 0; });
    case Kind::NoRecompute:
        return forEachStep([](Step& step) {
            if (step.op.kind == OpKind::Recompute)
                step.cost.duration = 0;
        });
    case Kind::FastLinks:
        return halved(isSend);
    case Kind::FastAllReduces:
        return halved(isAllReduce);
    case Kind::FastCopies:
        return halved(isCopy);
    case Kind::Chunks:
        break;
    }
    return [](OwnReplay::Programs&) {};
}

// Ticks of the copy that inTicks() makes, for each tick of the run.
std::int64_t fineness(const RunInfo& info)
{
    constexpr std::int64_t kFew = 10'000, kFine = 1'000; // half a tick would be rounded to one
    return info.inUnits() && info.ticksPerUnit < kFew ? kFine : 1;
}

std::int64_t rounded(std::int64_t fine, std::int64_t fineness)
{
    return std::llround(ratio(fine, fineness));
}

// Returns the run itself if its times are in ns. Otherwise returns a copy in which every tick is a
// nanosecond, because predictions need times in ns.
std::shared_ptr<const Run> inTicks(const Run& run)
{
    if (!run.info.inUnits())
        return {&run, [](const Run*) {}};
    auto copy = std::make_shared<Run>(run);
    copy->info.ticksPerUnit = 1;
    const std::int64_t times = fineness(run.info);
    for (Iteration& iteration : copy->timeline.iterations)
        iteration.window = {times * iteration.window.begin, times * iteration.window.end};
    for (Track& track : copy->timeline.tracks)
        for (Span& span : track.spans)
            span = {times * span.begin, times * span.end, span.op, span.iteration};
    for (MemoryEvent& event : copy->timeline.memory)
        event.time *= times;
    return copy;
}

ScheduleRequest requestOf(const Run& run, std::string_view scheme)
{
    ScheduleRequest request;
    request.scheme = scheme;
    request.devices = run.schedule.shape.devices;
    request.microBatches = run.schedule.shape.microBatches;
    return request;
}

Result<Prediction> predicted(const WhatIfPredictor& predictor, const ScheduleRequest& request)
{
    WhatIf whatIf{TRY(buildSchedule(request))};
    whatIf.resamples = 0;
    return predictor.predict(whatIf);
}

// Whether a predicted run fits in the memory of the run's devices. An unknown need does not.
bool fits(const Prediction& prediction, const Run& run)
{
    const MemoryCapacity memory = deviceMemory(run);
    return prediction.peakBytes ? memory.holds(static_cast<double>(*prediction.peakBytes))
                                : !memory.isKnown();
}

} // namespace

std::int64_t PathShares::total() const
{
    return std::accumulate(work.begin(), work.end(), messages + otherTransfers + waits);
}

IdVector<DeviceId, std::int64_t> Why::workOnPath(const Run& run) const
{
    IdVector<DeviceId, std::int64_t> work(run.schedule.program.size(), 0);
    for (const PathPart& part : path.parts)
        if (part.kind == PathPart::Kind::Work)
            work[part.device] += part.window.duration();
    return work;
}

Result<Why> whyNotFaster(const Run& run, int iteration)
{
    auto path = TRY(criticalPath(run, iteration));
    const IterationTimes times(run, path.iteration);
    Why why;
    why.shares = sharesOf(run, path);
    why.bound = lowerBound(run, times);
    why.reasons = whyReasons(run, path, times);
    why.path = std::move(path);
    keepLargest(why);
    const auto work = workOf(run, times);
    const DeviceId busiest = busiestDevice(work, why.workOnPath(run));
    if (why.bound.kind == LowerBound::Kind::Work)
        why.bound.device = busiest;
    if (!why.path.fault && times.isComplete() && run.schedule.shape.windows == 1)
        why.breakdown = BreakdownFinder(run, times, work, busiest).find();
    return why;
}

Result<CriticalPath> criticalPath(const Run& run, int iteration)
{
    const auto index = TRY(iterationIndex(run, iteration));
    if (!knowsStages(run.info))
        return invalid("the stages of this run are unknown, so its ops have no known order; import "
                       "traces that name stages");
    if (!whyUnknown(run.info).empty())
        return invalid("the critical path of this run is unknown: "
                       + whyUnknownAndRemedy(run.info));
    CriticalPath path;
    path.iteration = index;
    path.window = run.timeline.iterations[index].window;
    auto links = Explainer(run, index).criticalPath();
    std::erase_if(links, [&](const CauseLink& link) {
        return link.window.end <= path.window.begin || link.window.begin >= path.window.end;
    });
    if (links.size() < 2)
        return invalid(
            "fewer than two ops of the iteration were recorded, so it has no path; choose "
            "a whole iteration");
    PathBuilder builder(run, path);
    for (auto link = links.rbegin(); link != links.rend(); ++link)
        if (!builder.add(*link))
            break;
    builder.finish();
    return path;
}

LowerBound lowerBound(const Run& run, const IterationTimes& times)
{
    LowerBound bound;
    const BoundFinder finder(run, times);
    finder.addWork(bound);
    bound.chain = std::min(finder.chain(), times.window().duration());
    finder.addMemory(bound);
    bound.time = std::max({bound.work, bound.chain, bound.memory});
    bound.kind = bound.time == bound.work ? LowerBound::Kind::Work
        : bound.time == bound.chain       ? LowerBound::Kind::Chain
                                          : LowerBound::Kind::Memory;
    return bound;
}

std::vector<WhyReason> whyReasons(const Run& run, const CriticalPath& path,
                                  const IterationTimes& times)
{
    return ReasonFinder(run, path, times).find();
}

WhyEffects::WhyEffects(const Run& run, int iteration)
    : m_run(inTicks(run))
    , m_fineness(fineness(run.info))
    , m_replay(OwnReplay::create(*m_run, iteration))
{ }

const Result<WhatIfPredictor>& WhyEffects::predictor() const
{
    std::call_once(m_once, [this] { m_predictor = WhatIfPredictor::create(*m_run); });
    return *m_predictor;
}

Result<double> WhyEffects::accuracy() const
{
    if (!m_replay)
        return tl::unexpected(m_replay.error());
    return ratio(m_replay->simulated(), m_replay->recorded());
}

Result<ChangeEffect> WhyEffects::ofChunks(int chunks) const
{
    const auto& known = predictor();
    if (!known)
        return tl::unexpected(known.error());
    ScheduleRequest request = requestOf(*m_run, "interleaved-1f1b");
    request.chunks = chunks;
    const auto prediction = TRY(predicted(*known, request));
    if (!fits(prediction, *m_run))
        return fail(Error::Code::Unsupported,
                    "more chunks do not fit in the memory of a device ("
                        + deviceMemory(*m_run).text() + ")");
    const std::int64_t measured = known->measured();
    return ChangeEffect{prediction.iteration - measured, prediction.least - measured,
                        prediction.most - measured};
}

Result<ChangeEffect> WhyEffects::of(const WhyChange& change) const
{
    const auto effect = TRY(fineEffect(change));
    const auto coarse = [this](std::int64_t time) { return rounded(time, m_fineness); };
    return ChangeEffect{coarse(effect.difference), coarse(effect.least), coarse(effect.most)};
}

Result<ChangeEffect> WhyEffects::fineEffect(const WhyChange& change) const
{
    if (change.kind == WhyChange::Kind::Chunks)
        return ofChunks(change.chunks);
    if (!m_replay)
        return tl::unexpected(m_replay.error());
    const bool splits = change.kind == WhyChange::Kind::SplitBackward;
    double inputShare = 0.5;
    if (splits && predictor())
        inputShare = predictor()->times().inputShare;
    const std::int64_t simulated = m_replay->simulated();
    const auto duration = [&](double splitCost) {
        return m_replay->with(ownChange(change, inputShare, splitCost));
    };
    const std::int64_t changed = TRY(duration(1));
    ChangeEffect effect{changed - simulated, changed - simulated, changed - simulated};
    if (m_run->info.mode == Mode::Simulate)
        return effect;
    const bool isReordered = splits || change.kind == WhyChange::Kind::Earlier;
    const std::int64_t error
        = isReordered ? scaled(changed, kOrderError) : std::abs(simulated - m_replay->recorded());
    effect.least -= error;
    effect.most += error;
    if (splits)
        effect.most += std::max<std::int64_t>(0, TRY(duration(kMostSplitCost)) - changed);
    return effect;
}

Result<std::vector<FasterScheme>> fasterSchemes(const Run& run)
{
    const auto measured = inTicks(run);
    const auto predictor = TRY(WhatIfPredictor::create(*measured));
    const auto own = metrics(run);
    std::vector<FasterScheme> faster;
    for (const Scheme& scheme : schemes()) {
        engine::throwIfCancelled();
        if (scheme.asynchronous || scheme.name == run.schedule.scheme)
            continue;
        const auto one = predicted(predictor, requestOf(run, scheme.name));
        if (!one || one->iteration >= predictor.measured())
            continue;
        const auto coarse
            = [times = fineness(run.info)](std::int64_t time) { return rounded(time, times); };
        FasterScheme found{.scheme = std::string(scheme.name),
                           .iteration = coarse(one->iteration),
                           .difference = coarse(one->iteration - predictor.measured()),
                           .least = coarse(one->least),
                           .most = coarse(one->most),
                           .peakBytes = one->peakBytes,
                           .bytes = std::nullopt,
                           .stashes = one->peakStash};
        if (own) {
            found.stashes -= own->peakStash();
            if (one->peakBytes && own->peakBytes())
                found.bytes = *one->peakBytes - *own->peakBytes();
        }
        faster.push_back(std::move(found));
    }
    std::ranges::stable_sort(faster, {}, &FasterScheme::iteration);
    return faster;
}

const FasterScheme* firstThatFits(const std::vector<FasterScheme>& schemes,
                                  const MemoryCapacity& memory)
{
    const auto found = std::ranges::find_if(
        schemes, [&](const FasterScheme& scheme) { return scheme.fits(memory); });
    return found == schemes.end() ? nullptr : &*found;
}

Result<Run> predictedRun(const Run& run, std::string_view scheme)
{
    const auto measured = inTicks(run);
    const auto predictor = TRY(WhatIfPredictor::create(*measured));
    auto prediction = TRY(predicted(predictor, requestOf(run, scheme)));
    prediction.run.info.ticksPerUnit = fineness(run.info) * run.info.ticksPerUnit;
    return std::move(prediction.run);
}

Result<WhyReport> whyReport(const Run& run, int iteration, WhySchemes schemes)
{
    auto why = TRY(whyNotFaster(run, iteration));
    const WhyEffects effects(run, why.path.iteration);
    WhyReport report{std::move(why),
                     {},
                     effects.accuracy(),
                     schemes == WhySchemes::Predict
                         ? fasterSchemes(run)
                         : tl::unexpected(Error{Error::Code::NotFound, "not predicted"})};
    for (const WhyReason& reason : report.why.reasons) {
        const auto effect = reason.change ? effects.of(*reason.change)
                                          : tl::unexpected(Error{Error::Code::NotFound, ""});
        report.effects.push_back(effect ? std::optional(*effect) : std::nullopt);
    }
    return report;
}

} // namespace profiler
