#include "profiler/why/lower_bound.h"

#include "engine/schedule/check/stash.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/windows.h"

#include <algorithm>
#include <limits>
#include <map>

namespace profiler {

using namespace engine;

namespace {

class BoundFinder
{
public:
    BoundFinder(const Run& run, const IterationTimes& times)
        : m_schedule(run.schedule)
        , m_shape(run.schedule.shape)
        , m_times(times)
        , m_flow(times.flow())
        , m_knowsStashes(knowsMicroBatches(run.info))
    {
        findLinks();
    }

    void addWork(LowerBound& bound) const
    {
        std::uint32_t first = 0;
        for (const DeviceId d : m_schedule.program.ids()) {
            std::vector<Window> windows;
            for (const Op& op : m_schedule.program[d]) {
                if (isCompute(op.kind) && m_times.ran(first))
                    windows.push_back(inside(m_times.of(first)));
                ++first;
            }
            const std::int64_t work = length(unite(std::move(windows)));
            if (work > bound.work) {
                bound.work = work;
                bound.device = d;
            }
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
            ends[op] = begin + inside(m_times.of(op)).duration();
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
            bound.stashes
                = static_cast<double>(peak) / static_cast<double>(stashPartsPerActivation(m_shape));
            if (time > bound.work)
                bound.device = d;
        }
    }

private:
    Window inside(Window window) const
    {
        const Window all = m_times.window();
        const std::int64_t begin = std::clamp(window.begin, all.begin, all.end);
        return {begin, std::clamp(window.end, begin, all.end)};
    }

    // Finds the time of the fastest message of each kind between each pair of devices.
    void findLinks()
    {
        for (std::uint32_t op = 0; op < m_flow.index().count(); ++op) {
            if (!isSend(m_flow.op(op).kind) || !m_times.ran(op))
                continue;
            const DeviceId to = otherDevice(m_schedule, m_flow.op(op));
            const auto receive = m_flow.receive(transferredValue(m_flow.op(op), m_shape), to);
            if (!receive || !m_times.ran(*receive))
                continue;
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
            const bool isPass = op.kind == OpKind::Forward || isBackward(op.kind);
            if (!isPass || !m_times.ran(n) || op.flags == OpFlag::Half)
                continue;
            Passes& of = all[{op.replica, op.stage.value, op.microBatch.value}];
            const std::int64_t time = inside(m_times.of(n)).duration();
            (op.kind == OpKind::Forward              ? of.forward
                 : op.kind == OpKind::BackwardWeight ? of.weight
                                                     : of.backward)
                += time;
            if (op.kind == OpKind::Forward)
                of.parts += stashParts(op, m_shape);
        }
        return all;
    }

    const Schedule& m_schedule;
    const Shape& m_shape;
    const IterationTimes& m_times;
    const DataFlow& m_flow;
    bool m_knowsStashes;
    std::map<std::tuple<DeviceId, DeviceId, OpKind>, std::int64_t> m_links;
};

} // namespace

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

} // namespace profiler
