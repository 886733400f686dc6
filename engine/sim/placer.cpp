#include "engine/sim/placer.h"

#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine::sim {

Placer::Placer(const Schedule& lowered, const OpCosts& costs, std::int64_t start,
               TrackWriter& tracks)
    : m_schedule(lowered)
    , m_costs(costs)
    , m_tracks(tracks)
    , m_index(lowered)
    , m_values(valueCount(lowered.shape))
    , m_allReduces(lowered)
    , m_devices(lowered.program.size())
    , m_start(start)
    , m_window{start, start}
{
    const std::vector<std::int64_t> room = stashRoom(lowered);
    for (std::size_t d = m_devices.size(); d > 0; --d) {
        const DeviceId device{static_cast<std::int32_t>(d) - 1};
        state(device).free = start;
        if (room[d - 1] > 0) {
            state(device).copies = static_cast<std::int32_t>(m_copies.size());
            m_copies.emplace_back(room[d - 1], start);
        }
        m_runnable.push_back(device);
        const std::span<const Op> ops = m_schedule.on(device);
        for (std::size_t i = 0; i < ops.size(); ++i)
            if (ops[i].kind == OpKind::RecvActivation || ops[i].kind == OpKind::RecvGradient)
                m_values.setReceive(
                    valueIndex(transferredValue(ops[i], lowered.shape), lowered.shape),
                    m_index.of(device, i));
    }
}

Result<Window> Placer::place()
{
    while (!m_runnable.empty()) {
        const DeviceId device = m_runnable.back();
        m_runnable.pop_back();
        run(device);
    }
    for (std::size_t d = 0; d < m_devices.size(); ++d)
        if (m_devices[d].next < m_schedule.program[d].size())
            return tl::unexpected(deadlock());
    if (!m_allReduces.isIdle())
        return tl::unexpected(deadlock());
    return m_window;
}

// Until the end of the program, or an op that has to wait for another device.
void Placer::run(DeviceId device)
{
    const std::span<const Op> ops = m_schedule.on(device);
    Device& own = state(device);
    own.waitsFor = kNoValue;
    while (own.next < ops.size()) {
        const Op& op = ops[own.next];
        std::size_t count = 1;
        if (op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient) {
            if (!send(device, op))
                return;
        } else if (op.kind == OpKind::AllReduce) {
            allReduce(device, op);
        } else if (isCopy(op.kind)) {
            if (!copy(device, op))
                return;
        } else if (isCompute(op.kind)) {
            while (own.next + count < ops.size()
                   && ops[own.next + count - 1].flags == OpFlag::JointWithNext
                   && isCompute(ops[own.next + count].kind))
                ++count;
            if (!compute(device, count))
                return;
        }
        own.next += count;
    }
}

// `count` ops that run as one: when the inputs of all are there, and all end together.
bool Placer::compute(DeviceId device, std::size_t count)
{
    Device& own = state(device);
    const std::span<const Op> group = m_schedule.on(device).subspan(own.next, count);
    std::int64_t start = own.free;
    for (const Op& op : group)
        if (!gather(device, op, start))
            return false;
    CopyLanes* copies = copiesOf(device);
    if (copies)
        for (const Op& op : group)
            if (stashChange(op.kind).ownAtBegin > 0)
                start = copies->take(stashParts(op, m_schedule.shape), start);

    std::int64_t end = start;
    for (std::size_t i = 0; i < count; ++i)
        end += cost(device, own.next + i).duration;
    for (std::size_t i = 0; i < count; ++i) {
        m_tracks.add(device, Track::Kind::Compute, m_index.of(device, own.next + i), {start, end});
        for (const Value& value : produces(group[i], m_schedule.shape))
            m_values.setMade(valueIndex(value, m_schedule.shape));
        if (copies && stashChange(group[i].kind).ownAtEnd < 0)
            copies->giveBack(stashParts(group[i], m_schedule.shape));
    }
    own.free = end;
    m_window.end = std::max(m_window.end, end);
    return true;
}

// Raises `start` to when the op's inputs are on the device; false when one is still unknown. What
// the device itself computed is there, since its compute lane is in order; only an all-reduce and a
// load make a value on another lane.
bool Placer::gather(DeviceId device, const Op& op, std::int64_t& start)
{
    for (const Value& value : consumes(op, m_schedule.shape)) {
        const std::uint32_t index = valueIndex(value, m_schedule.shape);
        const bool reduced = value.kind == Value::Kind::ReducedGradient;
        if (reduced && !m_allReduces.isCalled(value.stage))
            continue;
        const bool local = !reduced && m_schedule.device(value.replica, value.stage) == device;
        if (local ? !m_values.isMade(index) : !m_values.hasArrived(index)) {
            state(device).waitsFor = index;
            return false;
        }
        if (m_values.hasArrived(index))
            start = std::max(start, m_values.arrival(index));
    }
    return true;
}

// A message keeps its link busy for its duration and arrives `latency` later.
bool Placer::send(DeviceId device, const Op& op)
{
    Device& own = state(device);
    const std::uint32_t value
        = valueIndex(transferredValue(op, m_schedule.shape), m_schedule.shape);
    if (!m_values.isMade(value)) {
        own.waitsFor = value;
        return false;
    }
    const OpCosts::Cost& price = cost(device, own.next);
    std::int64_t& linkIsFree = linkFree(own, op.peer);
    const std::int64_t begin = std::max(own.free, linkIsFree);
    linkIsFree = begin + price.duration;
    m_tracks.add(device, Track::Kind::Send, m_index.of(device, own.next), {begin, linkIsFree});

    const DeviceId peer{op.peer};
    const Window arrival{begin + price.latency, linkIsFree + price.latency};
    const std::int64_t receive = m_values.receive(value);
    if (receive != ValueTable::kNoReceive)
        m_tracks.add(peer, Track::Kind::Receive, static_cast<std::uint32_t>(receive), arrival);
    m_window.end = std::max(m_window.end, arrival.end);
    arrive(peer, value, arrival.end);
    return true;
}

void Placer::allReduce(DeviceId device, const Op& op)
{
    const Device& own = state(device);
    const AllReduceCall call{m_index.of(device, own.next), op.replica, op.stage, own.free,
                             cost(device, own.next).duration};
    for (const AllReduceDone& done : m_allReduces.issue(device, call)) {
        m_tracks.add(done.device, Track::Kind::AllReduce, done.call.op, {done.begin, done.end});
        m_window.end = std::max(m_window.end, done.end);
        const Value reduced{
            Value::Kind::ReducedGradient, done.call.replica, Op::kWhole, done.call.stage, {}};
        arrive(done.device, valueIndex(reduced, m_schedule.shape), done.end);
    }
}

// An evict takes the stash away, a load brings it back. Both work beside the compute lane.
bool Placer::copy(DeviceId device, const Op& op)
{
    Device& own = state(device);
    std::int64_t ready = own.free;
    if (own.copies < 0 || !gather(device, op, ready))
        return false;
    const std::int64_t parts = stashParts(op, m_schedule.shape);
    const std::int64_t duration = cost(device, own.next).duration;
    const bool evicts = op.kind == OpKind::Evict;
    const Window window = evicts ? copiesOf(device)->evict(parts, ready, duration)
                                 : copiesOf(device)->load(parts, ready, duration);
    m_tracks.add(device, Track::Kind::Copy, m_index.of(device, own.next), window);
    m_window.end = std::max(m_window.end, window.end);
    for (const Value& value : evicts ? consumes(op, m_schedule.shape) : Values{})
        m_values.setGone(valueIndex(value, m_schedule.shape));
    for (const Value& value : produces(op, m_schedule.shape))
        m_values.setArrival(valueIndex(value, m_schedule.shape), window.end);
    return true;
}

CopyLanes* Placer::copiesOf(DeviceId device)
{
    const std::int32_t copies = state(device).copies;
    return copies < 0 ? nullptr : &m_copies[static_cast<std::size_t>(copies)];
}

void Placer::arrive(DeviceId device, std::uint32_t value, std::int64_t tick)
{
    m_values.setArrival(value, tick);
    if (state(device).waitsFor == value) {
        state(device).waitsFor = kNoValue;
        m_runnable.push_back(device);
    }
}

std::int64_t& Placer::linkFree(Device& from, std::uint16_t peer) const
{
    for (Link& link : from.links)
        if (link.peer == peer)
            return link.free;
    return from.links.emplace_back(Link{peer, m_start}).free;
}

Error Placer::deadlock() const
{
    std::string where = "its devices call for all-reduces in different orders";
    for (std::size_t d = 0; d < m_devices.size(); ++d) {
        const std::size_t next = m_devices[d].next;
        if (next == m_schedule.program[d].size())
            continue;
        where = fmt::format("device {} waits for ever at index {}, {}", d, next,
                            toString(m_schedule.program[d][next]));
        break;
    }
    return {Error::Code::InvalidArgument,
            "the schedule deadlocks: " + where + "; validate it to see what it waits for"};
}

} // namespace engine::sim
