#include "engine/schedule/passes/blocking_all_reduce.h"

#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {
namespace {

// Before the receives and other ops that belong to the backward, too; the end if the device has no
// backward.
std::size_t beforeLastBackward(std::span<const Op> ops)
{
    std::size_t at = ops.size();
    while (at > 0 && !isBackward(ops[at - 1].kind))
        --at;
    if (at == 0)
        return ops.size();
    --at;
    const auto belongs = [&ops](std::size_t i) {
        return ops[i].flags == OpFlag::JointWithNext || ops[i].kind == OpKind::RecvGradient
            || ops[i].kind == OpKind::RecvActivation || ops[i].kind == OpKind::Recompute
            || ops[i].kind == OpKind::Load;
    };
    while (at > 0 && belongs(at - 1))
        --at;
    return at;
}

class Placing
{
public:
    explicit Placing(const Schedule& schedule)
        : m_schedule(schedule)
        , m_added(schedule.shape.rows())
    {
        for (const auto& ops : schedule.program) {
            m_last.push_back(beforeLastBackward(ops));
            for (std::size_t i = 0; i < ops.size(); ++i)
                if (finishesBackward(ops[i].kind))
                    m_added[rowOf(ops[i].replica, ops[i].stage)] = jointEnd(ops, i);
            m_firstStep.push_back(firstStep(ops));
        }
    }

    AllReducePlaces places(bool early) const
    {
        AllReducePlaces all(m_schedule.program.size());
        for (const StageId stage : Ids<StageId>(m_schedule.shape.stages)) {
            const bool before = early && isReadyBefore(stage);
            for (int replica = 0; replica < m_schedule.shape.replicas; ++replica) {
                const DeviceId device = m_schedule.device(replica, stage);
                const std::size_t end
                    = std::max(m_firstStep[device], m_added[rowOf(replica, stage)]);
                all[device].push_back({opOf(OpKind::AllReduce, stage, replica),
                                       before ? m_last[device] : end,
                                       marker(stage, before) + rank(stage)});
            }
        }
        return all;
    }

private:
    std::uint32_t rowOf(int replica, StageId stage) const
    {
        return m_schedule.shape.row(replica, stage);
    }

    bool isReadyBefore(StageId stage) const
    {
        if (2 * stage.value < m_schedule.shape.stages)
            return false;
        for (int replica = 0; replica < m_schedule.shape.replicas; ++replica) {
            const DeviceId device = m_schedule.device(replica, stage);
            const int fromMiddle = 2 * device.value - (m_schedule.shape.devices - 1);
            if (std::abs(fromMiddle) <= 1 || m_added[rowOf(replica, stage)] > m_last[device])
                return false;
        }
        return true;
    }

    // Returns the first rank of the all-reduce's group. There are three groups, in this order:
    // - the all-reduces before the last backward,
    // - the later all-reduces of the second half of the model,
    // - the later all-reduces of the first half of the model.
    std::size_t marker(StageId stage, bool before) const
    {
        const int stages = m_schedule.shape.stages;
        const bool secondHalf = 2 * stage.value >= stages;
        return std::size_t{2} * stages * (before ? 0 : secondHalf ? 1 : 2);
    }

    // The rank within a group. As in the authors' code, all-reduces are sorted by chunk. Within a
    // chunk, the stages whose down replica is on the first half of the devices come first.
    std::size_t rank(StageId stage) const
    {
        const int devices = m_schedule.shape.devices;
        const bool lower = 2 * m_schedule.device(0, stage).value < devices;
        return (std::size_t{2} * (stage.value / devices) + (lower ? 0 : 1)) * devices
            + stage.value % devices;
    }

    const Schedule& m_schedule;
    // [Shape::row()] The number of ops up to the last one that contributes to the gradient.
    std::vector<std::size_t> m_added;
    IdVector<DeviceId, std::size_t> m_last, m_firstStep;
};

// Executes the program without times; an all-reduce blocks a device until all holders of its
// stage have reached it.
class BlockingRun
{
public:
    BlockingRun(const Schedule& schedule, const AllReducePlaces& places)
        : m_shape(schedule.shape)
        , m_made(valueCount(schedule.shape))
        , m_arrived(schedule.shape.stages)
        , m_next(schedule.program.size())
        , m_inside(schedule.program.size())
    {
        for (const DeviceId d : places.ids())
            m_programs.push_back(withAllReduces(schedule.program[d], places[d]));
    }

    bool ends()
    {
        bool moved = true;
        while (moved) {
            moved = false;
            for (const DeviceId d : m_next.ids())
                while (step(d))
                    moved = true;
        }
        for (const DeviceId d : m_next.ids())
            if (m_next[d] < m_programs[d].size())
                return false;
        return true;
    }

private:
    bool step(DeviceId device)
    {
        if (m_next[device] == m_programs[device].size())
            return false;
        const Op& op = m_programs[device][m_next[device]];
        if (op.kind == OpKind::AllReduce)
            return meet(device, op.stage);
        if (isCompute(op.kind))
            for (const Value& value : consumes(op, m_shape))
                if (receivingStage(value, m_shape) && !m_made[valueIndex(value, m_shape)])
                    return false;
        for (const Value& value : produces(op, m_shape))
            m_made[valueIndex(value, m_shape)] = true;
        ++m_next[device];
        return true;
    }

    // A device that holds both replicas of a stage calls the all-reduce twice in a row.
    bool meet(DeviceId device, StageId stage)
    {
        auto& arrived = m_arrived[stage];
        const auto& ops = m_programs[device];
        std::size_t calls = 0;
        while (m_next[device] + calls < ops.size()
               && ops[m_next[device] + calls].kind == OpKind::AllReduce
               && ops[m_next[device] + calls].stage == stage)
            ++calls;
        if (!m_inside[device])
            arrived += calls;
        m_inside[device] = arrived < m_shape.replicas;
        if (m_inside[device])
            return false;
        m_next[device] += calls;
        return true;
    }

    const Shape& m_shape;
    IdVector<DeviceId, std::vector<Op>> m_programs;
    std::vector<bool> m_made; // [value]
    IdVector<StageId, int> m_arrived;
    IdVector<DeviceId, std::size_t> m_next;
    IdVector<DeviceId, bool> m_inside; // waiting at an all-reduce
};

} // namespace

AllReducePlaces placeBlocking(const Schedule& schedule)
{
    const Placing placing(schedule);
    auto places = placing.places(true);
    return BlockingRun(schedule, places).ends() ? places : placing.places(false);
}

std::size_t firstStep(std::span<const Op> ops)
{
    return std::ranges::find(ops, OpKind::OptimizerStep, &Op::kind) - ops.begin();
}

std::size_t afterSends(std::span<const Op> ops, std::size_t position)
{
    while (position < ops.size()
           && (isSend(ops[position].kind) || ops[position - 1].flags == OpFlag::JointWithNext))
        ++position;
    return position;
}

std::vector<Op> withAllReduces(const std::vector<Op>& ops, std::vector<AllReducePlace> places)
{
    std::ranges::stable_sort(places, {}, &AllReducePlace::order);
    std::vector<Op> out;
    out.reserve(ops.size() + places.size());
    std::ptrdiff_t next = 0;
    for (const AllReducePlace& place : places) {
        for (; std::cmp_less(next, place.behind); ++next)
            out.push_back(ops[next]);
        out.push_back(place.op);
    }
    out.insert(out.end(), ops.begin() + next, ops.end());
    return out;
}

} // namespace engine
