#pragma once

#include "engine/sim/placer.h"

#include <algorithm>

namespace engine::sim {

template<class Costs, class Recorder>
auto Placer<Costs, Recorder>::route(std::uint32_t& number, DeviceId from, DeviceId to) -> Route&
{
    if (number == kNone) {
        number = static_cast<std::uint32_t>(m_routes.size());
        m_routes.push_back({m_in.costs.sharedLinks()->ofTransfer(from, to)});
    }
    return m_routes[number];
}

// The messages of a directed pair of devices are sequential.
template<class Costs, class Recorder>
void Placer<Costs, Recorder>::queueMessage(DeviceId device, const Op& op, ValueKey value,
                                           const OpCosts::Cost& cost)
{
    Device& own = m_devices[device];
    Route& way = route(linkTo(own, op.peer).route, device, DeviceId{op.peer});
    std::vector<Network::Flow> after;
    if (way.last != Network::kNone)
        after.push_back(way.last);
    if (m_in.rules.blockingSend) {
        if (own.lastSend != Network::kNone)
            after.push_back(own.lastSend);
        ++own.sending;
    }
    way.last = own.lastSend = m_network->add(cost.duration, own.free, way.uses, after);
    m_transfers[way.last] = {op, device, numberOf(device), value, cost.latency};
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
    m_transfers[flow] = {op, device, numberOf(device), {}, 0};
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
    m_transfers[m_network->add(start.duration, start.begin, ring->second, {})] = {op, {}, 0, {}, 0};
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
    if (m_in.rules.blockingSend) {
        own.free = std::max(own.free, window.end);
        if (--own.sending == 0)
            m_runnable.push_back(done.device);
    }
    received(DeviceId{done.op.peer}, done.value,
             {window.begin + done.latency, window.end + done.latency});
}

// Returns false if the stash arrives by a copy that is not complete. If the copy is complete,
// delays `start` until its end.
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

} // namespace engine::sim
