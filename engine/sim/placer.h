#pragma once

#include "engine/base/attributes.h"
#include "engine/base/cancel.h"
#include "engine/base/result.h"
#include "engine/cost/op_prices.h"
#include "engine/schedule/dataflow_visit.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/network.h"
#include "engine/sim/queues.h"
#include "engine/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace engine::sim {

// The two sources of op costs: a stored cost per op, or OpPrices. With OpPrices the schedule has no
// SEND and RECV; the placer derives the transfers from the data flow.
struct StoredCosts
{
    static constexpr bool kImpliesTransfers = false;
    const OpCosts& costs;

    const OpCosts::Cost& of(DeviceId device, std::size_t position, const Op&) const
    {
        return costs.of[device][position];
    }
    bool linksAreBusy() const { return true; }
    const SharedLinks* sharedLinks() const { return costs.links.get(); }
};
struct ListedCosts
{
    static constexpr bool kImpliesTransfers = true;
    const OpPrices& prices;
    bool busyLinks = true;

    const OpCosts::Cost& of(DeviceId device, std::size_t, const Op& op) const
    {
        return prices.of(op, device);
    }
    bool linksAreBusy() const { return busyLinks; }
    const SharedLinks* sharedLinks() const { return busyLinks ? prices.links.get() : nullptr; }
};

// The jitter of TimingRules. It depends on the fields of an op and not on its position, so adding
// ops to a schedule does not change the jitter of the other ops.
class Jitter
{
public:
    Jitter(const TimingRules& rules, std::uint64_t iteration);
    std::int64_t operator()(std::int64_t duration, const Op& op) const
    {
        return m_parts == 0 ? duration : drawn(duration, op);
    }

private:
    std::int64_t drawn(std::int64_t duration, const Op& op) const;

    std::int64_t m_parts = 0; // largest relative change of a duration, in millionths
    std::uint64_t m_seed = 0;
};

std::int64_t scaled(std::int64_t ticks, Fraction by); // rounded down

// The end of `work` if it runs `slowDown` times slower during `windows` (sorted, disjoint).
std::int64_t stretched(Window work, Fraction slowDown, const std::vector<Window>& windows);

// Properties of a schedule that the placer needs, collected in one pass.
struct OrderFacts
{
    bool hasTransfers = false, hasCopies = false, hasRecomputes = false;
    IdVector<StageId, int> allReduceCalls; // [stage] number of calls per all-reduce
};

// Collects the facts and validates the ops, which may come from a file: each must exist in the
// shape, be on the device of its stage, and name a peer if its kind has one. Returns the first
// error.
Result<OrderFacts> orderFacts(const Schedule& schedule);

// Windows of the all-reduces that slow down compute, indexed by device.
using SlowWindows = IdVector<DeviceId, std::vector<Window>>;

// The input for one iteration. All objects that it refers to must outlive the placer.
template<class Costs>
struct Placement
{
    const Schedule& schedule;
    const OrderFacts& facts;
    Costs costs;
    const TimingRules& rules;
    std::int64_t start = 0;
    std::uint64_t iteration = 0;
    const SlowWindows* slow = nullptr; // nullptr: no slow-down
};

// Places one iteration. A device advances until its next compute op lacks an input, and continues
// when the input is available. Only its device uses a lane, in program order, so the result does
// not depend on the order in which devices are visited.
//
// If transfers share links, their ends depend on one another, and a Network places them. It
// advances only while every device waits: a transfer that completes at a time t can only cause
// transfers that begin at t or later.
//
// `Costs` is StoredCosts or ListedCosts. `Recorder` receives the times: TrackWriter
// stores them as spans, SummaryRecorder adds them up.
template<class Costs, class Recorder>
class Placer
{
public:
    Placer(const Placement<Costs>& placement, Recorder& recorder);

    // Fails if a device waits forever. Throws Cancelled (CancelScope).
    Result<Window> place();

private:
    static constexpr bool kImplied = Costs::kImpliesTransfers;
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    // A RECV that its device has reached (TimingRules::receive).
    struct Posted
    {
        ValueKey value;
        std::int64_t at = 0;
    };
    struct Link
    {
        std::uint16_t peer = Op::kNoPeer;
        std::int64_t free = 0;
        std::deque<Posted> receives = {}; // without their messages, in the order of the receiver
        std::uint32_t route = kNone;      // index into m_routes; kNone: not used yet
    };
    // The shared links of a lane, whose transfers are sequential.
    struct Route
    {
        Network::Uses uses;
        Network::Flow last = Network::kNone;
    };
    struct Transfer
    {
        Op op;
        DeviceId device;
        std::uint32_t number = 0; // OpIndex
        ValueKey value = {};      // value that a message transfers
        OpCosts::Cost cost = {};
        std::int64_t ready = 0; // time from which a message can leave
    };
    struct Device
    {
        std::size_t next = 0;  // index of the next op
        std::int64_t free = 0; // time from which compute is free
        ValueKey waitsFor;
        std::int32_t copies = -1;               // index into m_copies; -1: no evicts
        bool hasCalled = false;                 // has joined the all-reduce that blocks it
        bool hasPosted = false;                 // has posted the messages of the next ops
        int sending = 0;                        // blocking sends in the network
        std::int64_t gathered = 0;              // time from which the stream of UNSHARD is free
        std::vector<std::int64_t> weights = {}; // [row] end of its last UNSHARD; empty: no UNSHARD
        Network::Flow waitsForFlow = Network::kNone, lastSend = Network::kNone;
        std::uint32_t evictRoute = kNone, loadRoute = kNone;
        std::vector<Link> links; // outgoing, in order of first use
    };
    using Ops = std::span<const Op>;

    void run(DeviceId device);
    // Each of these processes the first op of `ops` (the rest of the device's program), together
    // with the ops joined to it. Returns the number of processed ops, or 0 if the device must wait.
    std::size_t step(DeviceId device, Ops ops);
    std::size_t compute(DeviceId device, Ops ops);
    std::size_t send(DeviceId device, const Op& op);
    std::size_t exchange(DeviceId device, Ops ops);
    void post(DeviceId device, std::uint32_t number, const Op& op, const OpCosts::Cost& cost);
    void meet(DeviceId from, DeviceId to);
    std::size_t allReduce(DeviceId device, Ops ops);
    std::size_t copy(DeviceId device, const Op& op);
    std::size_t shard(DeviceId device, const Op& op);

    BS_INLINED bool gather(DeviceId device, const Op& op, std::int64_t& start);
    BS_INLINED bool isThere(DeviceId device, const Value& value, ValueKey key, std::int64_t& start);
    void makeRoom(Device& own, Ops group, std::int64_t& start);
    bool awaitRoom(Device& own, Ops group, std::int64_t& start);
    BS_INLINED std::int64_t endOf(DeviceId device, Ops group, std::int64_t start) const;
    BS_INLINED void handOver(DeviceId device, const Op& op);
    BS_INLINED void sendTo(DeviceId peer, DeviceId device, const Value& value);
    BS_INLINED void deliver(const Transfer& message);
    void call(DeviceId device, std::uint32_t number, const Op& op, std::int64_t duration);
    void startAllReduces();
    void completeAllReduce(StageId stage, Window window);
    void received(DeviceId peer, ValueKey value, Window arrival);

    // Transfers that share links.
    Route& route(std::uint32_t& number, DeviceId from, DeviceId to);
    void queueMessage(const Transfer& message);
    std::size_t queueCopy(DeviceId device, const Op& op);
    void queueAllReduce(const AllReduceStart& start);
    void complete(Network::Flow flow);
    bool hasStash(DeviceId device, ValueKey wanted, std::int64_t& start);
    BS_INLINED void arrive(DeviceId device, ValueKey value, std::int64_t tick);
    BS_INLINED void wake(DeviceId device, ValueKey value);

    void noteReceives();
    std::uint32_t receiveOf(ValueKey value) const
    {
        return (value.kind == Value::Kind::Activation ? m_activationReceives
                                                      : m_gradientReceives)[value.index];
    }
    bool receivesBlock() const { return m_in.rules.receive == ReceiveRule::Deferred; }
    // Whether a SEND occupies its device from the start of the message. If receives block, the
    // device waits in exchange() instead.
    bool sendsBlock() const { return m_in.rules.blockingSend && !receivesBlock(); }
    BS_INLINED OpCosts::Cost costOf(DeviceId device, std::size_t ahead, const Op& op) const;
    std::uint32_t numberOf(DeviceId device) const
    {
        return m_index.of(device, m_devices[device].next);
    }
    Link& linkTo(Device& from, std::uint16_t peer) const;
    CopyQueues* copiesOf(const Device& device)
    {
        return device.copies < 0 ? nullptr : &m_copies[device.copies];
    }
    BS_INLINED ValueKey key(const Value& value) const { return keyOf(value, m_shape); }
    DeviceId holder(int replica, StageId stage) const
    {
        return m_holders[m_shape.row(replica, stage)];
    }
    Error deadlock() const;

    const Placement<Costs> m_in;
    const Shape m_shape;
    Recorder& m_recorder;
    Jitter m_jitter;
    OpIndex m_index;
    ValueTable m_values;
    AllReduceQueues m_allReduces;
    std::vector<DeviceId> m_holders;          // [row]
    std::vector<CopyQueues> m_copies;         // one for each device that evicts
    std::optional<Network> m_network;         // nullopt: no links are shared
    std::vector<SharedCopies> m_sharedCopies; // used instead of m_copies if links are shared
    std::deque<Route> m_routes;
    std::map<StageId, Network::Uses> m_rings; // links that all-reduces use
    std::unordered_map<Network::Flow, Transfer> m_transfers;
    std::unordered_map<std::uint64_t, Transfer> m_unreceived; // [value] sent, before their RECV
    IdVector<DeviceId, Device> m_devices;
    std::vector<DeviceId> m_runnable;
    // [cell] OpIndex of the RECV of the activation or gradient; empty if transfers are implied.
    std::vector<std::uint32_t> m_activationReceives, m_gradientReceives;
    Window m_window;
    const std::atomic<bool>* const m_cancel = CancelScope::flag();
};

template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::step(DeviceId device, Ops ops)
{
    if (receivesBlock() && isTransfer(ops.front().kind))
        return exchange(device, ops);
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
    case OpKind::Unshard:
    case OpKind::Reshard:
        return shard(device, ops.front());
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
    if (!own.weights.empty())
        for (const Op& op : group)
            start = std::max(start, own.weights[m_shape.row(op.replica, op.stage)]);
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
    deliver(
        {op, device, numberOf(device), key(value), costOf(device, 0, op), m_devices[device].free});
}

template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::send(DeviceId device, const Op& op)
{
    const ValueKey value = key(transferredValue(op, m_shape));
    if (!m_values.isMade(value)) {
        m_devices[device].waitsFor = value;
        return 0;
    }
    deliver({op, device, numberOf(device), value, costOf(device, 0, op), m_devices[device].free});
    return 1;
}

// Consecutive SENDs and RECVs are posted together, as by batch_isend_irecv of PyTorch, and the
// device waits for the messages that it receives (with blockingSend also for those that it sends).
template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::exchange(DeviceId device, Ops ops)
{
    Device& own = m_devices[device];
    std::size_t count = 0;
    while (count < ops.size() && isTransfer(ops[count].kind))
        ++count;
    for (std::uint32_t i = 0; i < count && !own.hasPosted; ++i)
        post(device, numberOf(device) + i, ops[i], costOf(device, i, ops[i]));
    own.hasPosted = true;
    std::int64_t end = own.free;
    for (std::uint32_t i = 0; i < count; ++i) {
        const ValueKey value = key(transferredValue(ops[i], m_shape));
        const bool isSent = isSend(ops[i].kind);
        if (isSent && !m_in.rules.blockingSend)
            continue;
        if (!m_values.hasArrived(value)) {
            own.waitsFor = value;
            return 0;
        }
        end = std::max(end,
                       m_values.arrival(value) - (isSent ? costOf(device, i, ops[i]).latency : 0));
    }
    own.free = end;
    own.hasPosted = false;
    return count;
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::post(DeviceId device, std::uint32_t number, const Op& op,
                                   const OpCosts::Cost& cost)
{
    const ValueKey value = key(transferredValue(op, m_shape));
    const std::int64_t now = m_devices[device].free;
    const DeviceId peer{op.peer};
    if (!isSend(op.kind)) {
        linkTo(m_devices[peer], device.value).receives.push_back({value, now});
        return meet(peer, device);
    }
    const Transfer message{op, device, number, value, cost, now};
    if (receiveOf(value) == kNone)
        return deliver(message);
    m_unreceived[value.bits()] = message;
    meet(device, peer);
}

// Starts the messages of a link whose SEND and RECV are posted, in the order of the receiver, so
// that the times do not depend on the order in which devices are visited.
template<class Costs, class Recorder>
void Placer<Costs, Recorder>::meet(DeviceId from, DeviceId to)
{
    for (;;) {
        auto& receives = linkTo(m_devices[from], to.value).receives;
        const auto sent = receives.empty() ? m_unreceived.end()
                                           : m_unreceived.find(receives.front().value.bits());
        if (sent == m_unreceived.end())
            return;
        Transfer message = sent->second;
        message.ready = std::max(message.ready, receives.front().at);
        m_unreceived.erase(sent);
        receives.pop_front();
        deliver(message);
    }
}

// A message occupies its link for its duration and arrives `latency` later.
template<class Costs, class Recorder>
void Placer<Costs, Recorder>::deliver(const Transfer& message)
{
    if (m_network)
        return queueMessage(message);
    const DeviceId device = message.device;
    Device& own = m_devices[device];
    Window window{message.ready, message.ready + message.cost.duration};
    if (m_in.costs.linksAreBusy()) {
        std::int64_t& linkIsFree = linkTo(own, message.op.peer).free;
        window.begin = std::max(message.ready, linkIsFree);
        window.end = linkIsFree = window.begin + message.cost.duration;
    }
    if (sendsBlock())
        own.free = window.end;
    m_recorder.sent(device, message.number, window);
    const std::int64_t latency = message.cost.latency;
    received(DeviceId{message.op.peer}, message.value,
             {window.begin + latency, window.end + latency});
    wake(device, message.value);
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::received(DeviceId peer, ValueKey value, Window arrival)
{
    if constexpr (kImplied) {
        m_recorder.received(peer, kNone, arrival);
    } else {
        if (const std::uint32_t receive = receiveOf(value); receive != kNone)
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

// The all-gathers of a device are sequential and run concurrently with compute. Every copy of the
// pipeline issues the same ones at the same time, so none waits for another copy.
template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::shard(DeviceId device, const Op& op)
{
    Device& own = m_devices[device];
    own.weights.resize(m_shape.rows(), m_in.start);
    Window window{own.free, own.free};
    if (op.kind == OpKind::Unshard) {
        window.begin = std::max(own.free, own.gathered);
        window.end = window.begin + costOf(device, 0, op).duration;
        own.gathered = own.weights[m_shape.row(op.replica, op.stage)] = window.end;
    }
    m_recorder.reduced(device, numberOf(device), window);
    m_window.end = std::max(m_window.end, window.end);
    return 1;
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::arrive(DeviceId device, ValueKey value, std::int64_t tick)
{
    m_values.setArrival(value, tick);
    wake(device, value);
}

// Continues a device that waits for the value.
template<class Costs, class Recorder>
void Placer<Costs, Recorder>::wake(DeviceId device, ValueKey value)
{
    if (m_devices[device].waitsFor == value) {
        m_devices[device].waitsFor = {};
        m_runnable.push_back(device);
    }
}

template<class Costs, class Recorder>
auto Placer<Costs, Recorder>::route(std::uint32_t& number, DeviceId from, DeviceId to) -> Route&
{
    if (number == kNone) {
        number = static_cast<std::uint32_t>(m_routes.size());
        const bool usesHost = from.value == Op::kNoPeer || to.value == Op::kNoPeer;
        m_routes.push_back(
            {usesHost ? Network::Uses() : m_in.costs.sharedLinks()->ofTransfer(from, to)});
    }
    return m_routes[number];
}

// The messages of a directed pair of devices are sequential.
template<class Costs, class Recorder>
void Placer<Costs, Recorder>::queueMessage(const Transfer& message)
{
    Device& own = m_devices[message.device];
    const DeviceId peer{message.op.peer};
    Route& way = route(linkTo(own, peer.value).route, message.device, peer);
    std::vector<Network::Flow> after;
    if (way.last != Network::kNone)
        after.push_back(way.last);
    if (sendsBlock()) {
        if (own.lastSend != Network::kNone)
            after.push_back(own.lastSend);
        ++own.sending;
    }
    way.last = own.lastSend = m_network->add(message.cost.duration, message.ready, way.uses, after);
    m_transfers[way.last] = message;
}

template<class Costs, class Recorder>
std::size_t Placer<Costs, Recorder>::queueCopy(DeviceId device, const Op& op)
{
    Device& own = m_devices[device];
    if (own.copies < 0)
        return 0;
    SharedCopies& copies = m_sharedCopies[own.copies];
    bool all = true;
    std::vector<Network::Flow> brought;
    visitConsumed(op, m_shape, [&](const Value& value) {
        const ValueKey wanted = key(value);
        if (const Network::Flow flow = copies.brings(wanted); flow != Network::kNone)
            brought.push_back(flow);
        if (m_values.isMade(wanted))
            return;
        own.waitsFor = wanted;
        all = false;
    });
    if (!all)
        return 0;
    const bool evicts = op.kind == OpKind::Evict;
    const std::int64_t parts = stashParts(op, m_shape);
    SharedCopies::Flows after = evicts ? copies.beforeEvict(parts) : copies.beforeLoad(parts);
    after.insert(after.end(), brought.begin(), brought.end());
    const DeviceId peer{op.peer};
    const Route& way
        = evicts ? route(own.evictRoute, device, peer) : route(own.loadRoute, peer, device);
    const Network::Flow flow
        = m_network->add(costOf(device, 0, op).duration, own.free, way.uses, after);
    evicts ? copies.addEvict(parts, flow) : copies.addLoad(parts, flow);
    m_transfers[flow] = {op, device, numberOf(device)};
    visitConsumed(op, m_shape, [&](const Value& value) { m_values.setGone(key(value)); });
    visitProduced(op, m_shape, [&](const Value& value) {
        m_values.setMade(key(value));
        copies.setBrings(key(value), flow);
    });
    return 1;
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::queueAllReduce(const AllReduceStart& start)
{
    const auto [ring, isNew] = m_rings.try_emplace(start.stage);
    if (isNew)
        ring->second = start.isTied ? m_in.costs.sharedLinks()->ofTiedAllReduce()
                                    : m_in.costs.sharedLinks()->ofAllReduce(start.stage);
    Op op;
    op.kind = OpKind::AllReduce;
    op.stage = start.stage;
    m_transfers[m_network->add(start.duration, start.begin, ring->second, {})] = {op, {}};
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::complete(Network::Flow flow)
{
    const auto found = m_transfers.find(flow);
    const Transfer done = found->second;
    m_transfers.erase(found);
    const Window window = m_network->window(flow);
    if (done.op.kind == OpKind::AllReduce) {
        completeAllReduce(done.op.stage, window);
        return startAllReduces();
    }
    Device& own = m_devices[done.device];
    m_window.end = std::max(m_window.end, window.end);
    if (isCopy(done.op.kind)) {
        m_recorder.copied(done.device, done.number, done.op, window);
        if (own.waitsForFlow == flow)
            m_runnable.push_back(done.device);
        return;
    }
    m_recorder.sent(done.device, done.number, window);
    if (sendsBlock()) {
        own.free = std::max(own.free, window.end);
        if (--own.sending == 0)
            m_runnable.push_back(done.device);
    }
    const std::int64_t latency = done.cost.latency;
    received(DeviceId{done.op.peer}, done.value, {window.begin + latency, window.end + latency});
    wake(done.device, done.value);
}

// False if the stash arrives by a copy that is not complete. If the copy is complete, delays
// `start` until its end.
template<class Costs, class Recorder>
bool Placer<Costs, Recorder>::hasStash(DeviceId device, ValueKey wanted, std::int64_t& start)
{
    Device& own = m_devices[device];
    if (own.copies < 0)
        return true;
    const Network::Flow flow = m_sharedCopies[own.copies].brings(wanted);
    if (flow == Network::kNone)
        return true;
    if (!m_network->isDone(flow)) {
        own.waitsForFlow = flow;
        return false;
    }
    start = std::max(start, m_network->window(flow).end);
    return true;
}

// Like makeRoom(), but returns false if an evict that must free the space is not complete.
template<class Costs, class Recorder>
bool Placer<Costs, Recorder>::awaitRoom(Device& own, Ops group, std::int64_t& start)
{
    SharedCopies& copies = m_sharedCopies[own.copies];
    std::int64_t taken = 0;
    for (const Op& op : group)
        if (stashChange(op.kind).ownAtBegin > 0)
            taken += stashParts(op, m_shape);
    if (taken > 0)
        for (const Network::Flow flow : copies.beforeSpace(taken)) {
            if (!m_network->isDone(flow)) {
                own.waitsForFlow = flow;
                return false;
            }
            start = std::max(start, m_network->window(flow).end);
        }
    if (taken > 0)
        copies.take(taken);
    for (const Op& op : group)
        if (stashChange(op.kind).ownAtEnd < 0)
            copies.giveBack(stashParts(op, m_shape));
    return true;
}

template<class Costs, class Recorder>
Placer<Costs, Recorder>::Placer(const Placement<Costs>& placement, Recorder& recorder)
    : m_in(placement)
    , m_shape(placement.schedule.shape)
    , m_recorder(recorder)
    , m_jitter(placement.rules, placement.iteration)
    , m_index(placement.schedule)
    , m_values(m_shape)
    , m_allReduces(placement.schedule, placement.facts.allReduceCalls)
    , m_devices(placement.schedule.program.size())
    , m_window{placement.start, placement.start}
{
    for (const auto& stages : m_in.schedule.deviceOf)
        m_holders.insert(m_holders.end(), stages.begin(), stages.end());
    const auto capacity
        = m_in.facts.hasCopies ? stashCapacity(m_in.schedule) : IdVector<DeviceId, StashCapacity>();
    for (const DeviceId d : m_devices.ids()) {
        Device& device = m_devices[d];
        device.free = device.gathered = m_in.start;
        m_runnable.push_back(d);
        if (m_in.facts.hasCopies && capacity[d].own > 0) {
            device.copies = m_copies.size();
            m_copies.emplace_back(capacity[d], m_in.start);
            m_sharedCopies.emplace_back(capacity[d]);
        }
    }
    if (const SharedLinks* links = m_in.costs.sharedLinks())
        m_network.emplace(*links);
    std::ranges::reverse(m_runnable); // so that the first device runs first
    if (!kImplied)
        noteReceives();
}

template<class Costs, class Recorder>
void Placer<Costs, Recorder>::noteReceives()
{
    m_activationReceives.assign(cellCount(m_shape), kNone);
    m_gradientReceives.assign(cellCount(m_shape), kNone);
    for (const DeviceId d : m_devices.ids())
        for (std::size_t i = 0; i < m_in.schedule.program[d].size(); ++i) {
            const Op& op = m_in.schedule.program[d][i];
            if (op.kind != OpKind::RecvActivation && op.kind != OpKind::RecvGradient)
                continue;
            auto& receives
                = op.kind == OpKind::RecvActivation ? m_activationReceives : m_gradientReceives;
            receives[key(transferredValue(op, m_shape)).index] = m_index.of(d, i);
        }
}

template<class Costs, class Recorder>
Result<Window> Placer<Costs, Recorder>::place()
{
    for (;;) {
        while (!m_runnable.empty()) {
            const DeviceId device = m_runnable.back();
            m_runnable.pop_back();
            throwIfCancelled(m_cancel);
            run(device);
        }
        if (!m_network)
            break;
        const auto& done = m_network->advance();
        if (done.empty())
            break;
        for (const Network::Flow flow : done)
            complete(flow);
    }
    for (const DeviceId d : m_devices.ids())
        if (m_devices[d].next < m_in.schedule.program[d].size())
            return tl::unexpected(deadlock());
    if (!m_allReduces.isIdle())
        return tl::unexpected(deadlock());
    return m_window;
}

// Advances to the end of the program, or to an op that waits for another device.
template<class Costs, class Recorder>
void Placer<Costs, Recorder>::run(DeviceId device)
{
    const Ops ops = m_in.schedule.on(device);
    Device& own = m_devices[device];
    own.waitsFor = {};
    own.waitsForFlow = Network::kNone;
    while (own.next < ops.size() && own.sending == 0) {
        const std::size_t done = step(device, ops.subspan(own.next));
        if (done == 0)
            return;
        own.next += done;
    }
}

template<class Costs, class Recorder>
OpCosts::Cost Placer<Costs, Recorder>::costOf(DeviceId device, std::size_t ahead,
                                              const Op& op) const
{
    const std::size_t position = m_devices[device].next + ahead;
    OpCosts::Cost cost = m_in.costs.of(device, position, op);
    cost.duration = m_jitter(cost.duration, op);
    return cost;
}

template<class Costs, class Recorder>
auto Placer<Costs, Recorder>::linkTo(Device& from, std::uint16_t peer) const -> Link&
{
    for (Link& link : from.links)
        if (link.peer == peer)
            return link;
    return from.links.emplace_back(Link{peer, m_in.start});
}

template<class Costs, class Recorder>
Error Placer<Costs, Recorder>::deadlock() const
{
    std::string where = "its devices start all-reduces in different orders";
    for (const DeviceId d : m_devices.ids()) {
        const std::size_t next = m_devices[d].next;
        if (next == m_in.schedule.program[d].size())
            continue;
        where = fmt::format("device {} waits forever at index {}, {}", d.value, next,
                            toString(m_in.schedule.program[d][next]));
        break;
    }
    const char* remedy = !receivesBlock() ? "run bscope validate for the reason"
        : m_in.rules.blockingSend         ? "with deferred receives, leave out --blocking"
                                          : "move its RECV, or use --receive eager";
    return {Error::Code::InvalidArgument, "the schedule deadlocks: " + where + "; " + remedy};
}

// Places an iteration with recorders made by `fresh`. All-reduces slow compute down, which changes
// the times of the all-reduces, so the iteration is placed repeatedly until these times no longer
// change. Every pass corrects at least the earliest all-reduce with a wrong time, so this
// terminates.
template<class Recorder, class Costs, class Fresh>
Result<Window> placeSteadily(Placement<Costs> placement, std::unique_ptr<Recorder>& recorder,
                             Fresh fresh)
{
    const std::size_t devices = placement.schedule.program.size();
    const bool slows = placement.rules.slowDown != Fraction{1};
    SlowWindows slow(devices);
    for (;;) {
        recorder.reset(); // discards the old spans before the next recorder is created
        recorder = fresh();
        placement.slow = slows ? &slow : nullptr;
        auto window = Placer(placement, *recorder).place();
        if (!window || !slows)
            return window;
        auto windows = recorder->allReduceWindows(devices);
        if (windows == slow)
            return window;
        slow = std::move(windows);
    }
}

} // namespace engine::sim
