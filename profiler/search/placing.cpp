#include "profiler/search/placing.h"

#include <algorithm>
#include <functional>

namespace profiler {

Placing::Placing(const OrderGraph& graph, std::vector<std::int64_t> durations,
                 std::vector<std::int64_t> limits)
    : m_graph(graph)
    , m_durations(std::move(durations))
    , m_limits(std::move(limits))
    , m_tails(graph.size())
    , m_state(3 * graph.devices() + graph.links)
    , m_done(graph.size())
    , m_keptDone(graph.size())
    , m_arrival(graph.messages.size())
    , m_keptArrival(graph.messages.size())
{
    m_limits.resize(graph.devices(), OrderGraph::kNever);
    // The tails of the graph hold for its own durations only.
    if (m_durations.empty())
        for (Id item = 0; item < graph.size(); ++item) {
            m_durations.push_back(graph.items[item].duration);
            m_tails[item] = graph.items[item].tail;
        }
    m_snapshots.resize(m_state.size() * (graph.size() / kStep + 1));
    std::ranges::copy(graph.held, m_snapshots.begin() + graph.devices() + graph.links);
    m_newSnapshots = m_snapshots;
}

std::int64_t Placing::place(std::span<const Id> order, std::size_t first, std::int64_t longest)
{
    const auto& graph = m_graph;
    const std::size_t begin = first / kStep;
    m_from = begin * kStep;
    std::copy_n(snapshot(m_snapshots, begin), m_state.size(), m_state.data());
    std::int64_t* const free = m_state.data();
    std::int64_t* const linkFree = free + graph.devices();
    std::int64_t* const held = linkFree + graph.links;
    std::int64_t* const position = held + graph.devices();
    for (std::size_t i = m_from; i < order.size(); ++i) {
        if (i % kStep == 0 && i > m_from)
            std::copy_n(m_state.data(), m_state.size(), snapshot(m_newSnapshots, i / kStep));
        const Id id = order[i];
        const OrderGraph::Item& item = graph.items[id];
        const OrderGraph::Item& next = graph.items[id + 1];
        std::int64_t start = free[item.device];
        for (Id in = item.input; in < next.input; ++in)
            start = std::max(start, m_arrival[graph.inputs[in]]);
        held[item.device] += item.takes;
        const std::int64_t end = start + m_durations[id];
        if (held[item.device] > m_limits[item.device] || end + m_tails[id] > longest) {
            m_to = i;
            return OrderGraph::kNever;
        }
        held[item.device] -= item.frees;
        free[item.device] = end;
        position[item.device] += item.ops;
        m_done[id] = {end, position[item.device]};
        for (Id m = item.message; m < next.message; ++m) {
            const OrderGraph::Message& message = graph.messages[m];
            const std::int64_t sent = std::max(linkFree[message.link], end) + message.busy;
            linkFree[message.link] = sent;
            m_arrival[m] = sent + message.latency;
            if (graph.sendsBlock)
                free[item.device] = std::max(free[item.device], sent);
        }
    }
    m_to = order.size();
    const std::int64_t length = this->length();
    return length > longest ? OrderGraph::kNever : length;
}

// Places the all-reduces as addAllReduce() orders them (SyncPolicy::Eager): on all devices by the
// position at which the last device is ready, then by stage. The optimizer steps follow in the same
// order.
std::int64_t Placing::length() const
{
    struct Next
    {
        std::int64_t position = 0;
        int stage = 0;
        const OrderGraph::AllReduce* all = nullptr;
        auto operator<=>(const Next&) const = default;
    };
    std::int64_t length = 0;
    if (m_graph.allReduces.empty()) {
        for (std::uint32_t d = 0; d < m_graph.devices(); ++d)
            length = std::max(length, m_state[d] + m_graph.steps[d]);
        return length;
    }
    std::vector<Next> order;
    for (const OrderGraph::AllReduce& all : m_graph.allReduces) {
        Next& next = order.emplace_back(Next{0, all.stage, &all});
        for (const OrderGraph::AllReduce::Call& call : all.calls)
            for (const Id item : call.items)
                next.position = std::max(next.position, m_done[item].position);
    }
    std::ranges::sort(order);
    std::vector<std::int64_t> reached(m_graph.devices()), free(m_graph.devices());
    std::vector<std::int64_t> ends(m_state.begin(), m_state.begin() + m_graph.devices());
    for (const Next& next : order) {
        std::int64_t begin = 0;
        for (const auto& call : next.all->calls) {
            for (const Id item : call.items)
                reached[call.device] = std::max(reached[call.device], m_done[item].end);
            begin = std::max({begin, reached[call.device], free[call.device]});
        }
        const std::int64_t end = begin + next.all->duration;
        for (const auto& call : next.all->calls) {
            free[call.device] = end;
            ends[call.device] = std::max(ends[call.device], end) + call.step;
        }
        length = std::max(length, end);
    }
    for (std::uint32_t d = 0; d < m_graph.devices(); ++d)
        length = std::max(length, ends[d] + m_graph.steps[d]);
    return length;
}

void Placing::keep(std::span<const Id> order)
{
    for (std::size_t i = m_from; i < m_to; ++i) {
        const Id id = order[i];
        m_keptDone[id] = m_done[id];
        for (Id m = m_graph.items[id].message; m < m_graph.items[id + 1].message; ++m)
            m_keptArrival[m] = m_arrival[m];
    }
    for (std::size_t s = m_from / kStep + 1; s * kStep < m_to; ++s)
        std::copy_n(snapshot(m_newSnapshots, s), m_state.size(), snapshot(m_snapshots, s));
}

void Placing::drop(std::span<const Id> order)
{
    for (std::size_t i = m_from; i < m_to; ++i) {
        const Id id = order[i];
        m_done[id] = m_keptDone[id];
        for (Id m = m_graph.items[id].message; m < m_graph.items[id + 1].message; ++m)
            m_arrival[m] = m_keptArrival[m];
    }
}

} // namespace profiler
