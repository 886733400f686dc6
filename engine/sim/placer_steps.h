#pragma once

#include "engine/sim/placer.h"

#include <algorithm>

namespace engine::sim {

template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::step(DeviceId device, Ops ops)
{
    switch (ops.front().kind) {
    case OpKind::RecvActivation:
    case OpKind::RecvGradient:
        return 1;
    case OpKind::SendActivation:
    case OpKind::SendGradient:
        return send(device, ops.front());
    case OpKind::AllReduce:
        return allReduce(device, ops);
    case OpKind::Evict:
    case OpKind::Load:
        return copy(device, ops.front());
    default:
        return compute(device, ops);
    }
}

// Joint ops start when the inputs of all of them are available and end together.
template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::compute(DeviceId device, Ops ops)
{
    std::size_t count = 1;
    while (count < ops.size() && ops[count - 1].flags == OpFlag::JointWithNext
           && isCompute(ops[count].kind))
        ++count;
    const Ops group = ops.first(count);
    Device& own = m_devices[device];
    std::int64_t start = own.free;
    for (const Op& op : group)
        if (!gather(device, op, start))
            return 0;
    if (own.copies >= 0) {
        if (m_network && !awaitRoom(own, group, start))
            return 0;
        if (!m_network)
            makeRoom(own, group, start);
    }
    own.free = endOf(device, group, start);
    m_window.end = std::max(m_window.end, own.free);
    m_recorder.computed(device, numberOf(device), group, {start, own.free});
    for (const Op& op : group)
        handOver(device, op);
    return count;
}

template<class Costs, class Recorder>
std::int64_t Placer<Costs, Recorder>::endOf(DeviceId device, Ops group, std::int64_t start) const
{
    std::int64_t work = 0;
    for (std::size_t i = 0; i < group.size(); ++i)
        work += costOf(device, i, group[i]).duration;
    if (group.size() > 1)
        work = scaled(work, m_in.rules.joint);
    if (m_in.slow == nullptr)
        return start + work;
    return stretched({start, start + work}, m_in.rules.slowDown, (*m_in.slow)[device]);
}

// Delays `start` until there is space for the stashes that the ops create.
template<class Costs, class Recorder>
void Placer<Costs, Recorder>::makeRoom(Device& own, Ops group, std::int64_t& start)
{
    CopyQueues& copies = *copiesOf(own);
    for (const Op& op : group)
        if (stashChange(op.kind).ownAtBegin > 0)
            start = copies.take(stashParts(op, m_shape), start);
    for (const Op& op : group)
        if (stashChange(op.kind).ownAtEnd < 0)
            copies.giveBack(stashParts(op, m_shape));
}

// Delays `start` until the inputs of the op are on the device. Returns false if the arrival of an
// input is not yet known.
template<class Costs, class Recorder>
bool Placer<Costs, Recorder>::gather(DeviceId device, const Op& op, std::int64_t& start)
{
    bool all = true;
    visitConsumed(op, m_shape, [&](const Value& value) BS_INLINED_LAMBDA {
        const ValueKey wanted = key(value);
        if (isThere(device, value, wanted, start))
            return;
        m_devices[device].waitsFor = wanted;
        all = false;
    });
    return all;
}

// Whether the value is on the device. Values from the device's own compute always are, because
// compute runs in program order; only all-reduces and loads produce values on other lanes.
template<class Costs, class Recorder>
bool Placer<Costs, Recorder>::isThere(DeviceId device, const Value& value, ValueKey wanted,
                                      std::int64_t& start)
{
    if (!ValueTable::isTimed(value.kind)) {
        if (m_network && !hasStash(device, wanted, start))
            return false;
        const CopyQueues* copies = copiesOf(m_devices[device]);
        if (copies != nullptr && value.kind != Value::Kind::WeightStash)
            start = std::max(start, copies->arrival(wanted));
        return m_values.isMade(wanted);
    }
    if (value.kind == Value::Kind::ReducedGradient && !m_allReduces.isCalled(value.stage))
        return true;
    // With slices, two ops need the gradient: one on the previous stage, to which the gradient is
    // sent, and the op of the previous slice on this device.
    const bool isBoth = value.kind == Value::Kind::Gradient && m_shape.slices > 1;
    if (m_values.hasArrived(wanted) && !(isBoth && holder(value.replica, value.stage) == device)) {
        start = std::max(start, m_values.arrival(wanted));
        return true;
    }
    // A value is available on the device that produced it. If transfers are implied, the arrival of
    // a value for another device is known at once, unless links are shared.
    return m_values.isMade(wanted)
        && ((kImplied && !m_network) || holder(value.replica, value.stage) == device);
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::handOver(DeviceId device, const Op& op)
{
    visitProduced(op, m_shape, [&](const Value& value) BS_INLINED_LAMBDA {
        m_values.setMade(key(value));
        if constexpr (kImplied)
            if (const auto stage = receivingStage(value, m_shape)) {
                const DeviceId peer = holder(value.replica, *stage);
                if (peer == device)
                    m_recorder.copiedLocally(device);
                else
                    sendTo(peer, device, value);
            }
    });
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::sendTo(DeviceId peer, DeviceId device, const Value& value)
{
    Op op;
    op.kind = value.kind == Value::Kind::Activation ? OpKind::SendActivation : OpKind::SendGradient;
    op.replica = value.replica;
    op.slice = value.slice;
    op.stage = value.stage;
    op.microBatch = value.microBatch;
    op.peer = peer.value;
    deliver(device, op, key(value), costOf(device, 0, op));
}

template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::send(DeviceId device, const Op& op)
{
    const ValueKey value = key(transferredValue(op, m_shape));
    if (!m_values.isMade(value)) {
        m_devices[device].waitsFor = value;
        return 0;
    }
    deliver(device, op, value, costOf(device, 0, op));
    return 1;
}

// A message occupies its link for its duration and arrives `latency` later.
template<class Costs, class Recorder>
void Placer<Costs, Recorder>::deliver(DeviceId device, const Op& op, ValueKey value,
                                      const OpCosts::Cost& cost)
{
    if (m_network)
        return queueMessage(device, op, value, cost);
    Device& own = m_devices[device];
    Window window{own.free, own.free + cost.duration};
    if (m_in.costs.linksAreBusy()) {
        std::int64_t& linkIsFree = linkTo(own, op.peer).free;
        window.begin = std::max(own.free, linkIsFree);
        window.end = linkIsFree = window.begin + cost.duration;
    }
    if (m_in.rules.blockingSend)
        own.free = window.end;
    m_recorder.sent(device, numberOf(device), window);

    received(DeviceId{op.peer}, value, {window.begin + cost.latency, window.end + cost.latency});
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::received(DeviceId peer, ValueKey value, Window arrival)
{
    if constexpr (kImplied) {
        m_recorder.received(peer, kNone, arrival);
    } else {
        const bool forwards = value.kind == Value::Kind::Activation;
        const std::uint32_t receive
            = (forwards ? m_activationReceives : m_gradientReceives)[value.index];
        if (receive != kNone)
            m_recorder.received(peer, receive, arrival);
    }
    m_window.end = std::max(m_window.end, arrival.end);
    arrive(peer, value, arrival.end);
}

// Joins the all-reduce. A blocking all-reduce stops the compute of the device until it is complete.
// A device that holds both replicas waits for both all-reduces.
template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::allReduce(DeviceId device, Ops ops)
{
    Device& own = m_devices[device];
    std::size_t count = 1;
    while (m_in.rules.blockingAllReduce && count < ops.size()
           && ops[count].kind == OpKind::AllReduce
           && allReduceStage(ops[count]) == allReduceStage(ops[0]))
        ++count;
    if (!own.hasCalled)
        for (std::uint32_t i = 0; i < count; ++i)
            call(device, numberOf(device) + i, ops[i], costOf(device, i, ops[i]).duration);
    if (!m_in.rules.blockingAllReduce)
        return 1;
    const Op& last = ops[count - 1];
    const ValueKey reduced
        = key(atStage(valueOf(Value::Kind::ReducedGradient, last), allReduceStage(last).value));
    own.hasCalled = !m_values.hasArrived(reduced);
    if (own.hasCalled) {
        own.waitsFor = reduced;
        return 0;
    }
    own.free = std::max(own.free, m_values.arrival(reduced));
    return count;
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::call(DeviceId device, std::uint32_t number, const Op& op,
                                   std::int64_t duration)
{
    // Clears the result of an earlier update, so that the next OPT waits for this all-reduce.
    m_values.clear(
        key(atStage(valueOf(Value::Kind::ReducedGradient, op), allReduceStage(op).value)));
    m_allReduces.issue(device,
                       {number, op.replica, allReduceStage(op), m_devices[device].free, duration,
                        tiesEmbeddings(op)});
    startAllReduces();
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::startAllReduces()
{
    while (const auto next = m_allReduces.next()) {
        if (m_network && next->duration > 0)
            queueAllReduce(*next);
        else
            completeAllReduce(next->stage, {next->begin, next->begin + next->duration});
    }
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::completeAllReduce(StageId stage, Window window)
{
    for (const AllReduceDone& done : m_allReduces.complete(stage, window)) {
        m_recorder.reduced(done.device, done.call.op, {done.begin, done.end});
        m_window.end = std::max(m_window.end, done.end);
        arrive(
            done.device,
            key({Value::Kind::ReducedGradient, done.call.replica, Op::kWhole, done.call.stage, {}}),
            done.end);
    }
}

// Places an evict or a load, which run concurrently with compute.
template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::copy(DeviceId device, const Op& op)
{
    if (m_network)
        return queueCopy(device, op);
    Device& own = m_devices[device];
    std::int64_t ready = own.free;
    if (own.copies < 0 || !gather(device, op, ready))
        return 0;
    CopyQueues& copies = *copiesOf(own);
    const std::int64_t parts = stashParts(op, m_shape);
    const std::int64_t duration = costOf(device, 0, op).duration;
    const bool evicts = op.kind == OpKind::Evict;
    const Window window
        = evicts ? copies.evict(parts, ready, duration) : copies.load(parts, ready, duration);
    m_recorder.copied(device, numberOf(device), op, window);
    m_window.end = std::max(m_window.end, window.end);
    visitConsumed(op, m_shape, [&](const Value& value) { m_values.setGone(key(value)); });
    visitProduced(op, m_shape, [&](const Value& value) {
        m_values.setMade(key(value));
        copies.setArrival(key(value), window.end);
    });
    return 1;
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::arrive(DeviceId device, ValueKey value, std::int64_t tick)
{
    m_values.setArrival(value, tick);
    if (m_devices[device].waitsFor == value) {
        m_devices[device].waitsFor = {};
        m_runnable.push_back(device);
    }
}

} // namespace engine::sim
