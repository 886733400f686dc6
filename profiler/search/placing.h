#pragma once

#include "profiler/search/order_graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace profiler {

// Places an order of the items of a graph, and places it again from the first item that changed: a
// search changes a few items of thousands, and most changes are dropped. We keep the state of all
// devices and links before every 32nd item, so at most 31 unchanged items are placed again, and
// stop at the first item that shows that the order is too long.
class Placing
{
public:
    using Id = OrderGraph::Id;

    // `durations`: [item] in ticks; empty: those of the graph. `limits`: [device] the most memory;
    // empty: no limit.
    Placing(const OrderGraph& graph, std::vector<std::int64_t> durations,
            std::vector<std::int64_t> limits);

    // Places `order`, which is sorted as OrderGraph::start() and equals the kept one before item
    // `first`. Returns its length in ticks; OrderGraph::kNever if it is longer than `longest` or
    // needs more memory than the limits. Then call keep() or drop() with the same order.
    std::int64_t place(std::span<const Id> order, std::size_t first, std::int64_t longest);
    void keep(std::span<const Id> order);
    void drop(std::span<const Id> order);

    // Of the order that was placed last.
    std::int64_t end(Id item) const { return m_done[item].end; }
    std::int64_t begin(Id item) const { return end(item) - m_durations[item]; }
    std::int64_t arrival(Id message) const { return m_arrival[message]; }

private:
    static constexpr std::size_t kStep = 32; // items between two snapshots

    struct Done
    {
        std::int64_t end = 0;      // in ticks
        std::int64_t position = 0; // of the op behind it in the lowered program of its device
    };

    std::int64_t length() const;
    std::int64_t* snapshot(std::vector<std::int64_t>& all, std::size_t number)
    {
        return all.data() + number * m_state.size();
    }

    const OrderGraph& m_graph;
    std::vector<std::int64_t> m_durations, m_limits, m_tails;
    // [device] time from which it is free, [link] the same, [device] memory in use, [device] ops
    // of its lowered program so far
    std::vector<std::int64_t> m_state;
    std::vector<std::int64_t> m_snapshots, m_newSnapshots;
    std::vector<Done> m_done, m_keptDone;               // [item]
    std::vector<std::int64_t> m_arrival, m_keptArrival; // [message]
    std::size_t m_from = 0, m_to = 0;                   // items that were placed last
};

} // namespace profiler
