#pragma once

#include "engine/schedule/notation.h"
#include "engine/sim/placer_network.h"
#include "engine/sim/placer_steps.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine::sim {

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
        device.free = m_in.start;
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
    return {Error::Code::InvalidArgument,
            "the schedule deadlocks: " + where + "; run bscope validate for the reason"};
}

} // namespace engine::sim
