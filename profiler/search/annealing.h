#pragma once

#include "profiler/search/order_graph.h"

#include <cstdint>
#include <random>
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

// Shortens an order by simulated annealing (Kirkpatrick et al., Science 1983): it moves one op, or
// a few, to another place within their devices, places the iteration again from the first op that
// moved, and keeps the order if it is shorter or, by chance, if it is a little longer.
//
// The state is one list of the items of all devices in which every item comes after those that it
// waits for. So no order that is tried can deadlock, and an iteration is placed in one pass over
// the list, without a queue of waiting devices.
class Annealing
{
public:
    using Id = OrderGraph::Id;

    struct Options
    {
        std::vector<std::int64_t> limits; // [device] the most memory; empty: no limit
        std::uint64_t seed = 0;
        // [sample][item] durations under varied op times. The length of an order is then the mean
        // of all samples. Empty: the durations of the graph.
        std::vector<std::vector<std::int64_t>> samples = {};
    };
    // If `order` does not fit in the limits, best() is OrderGraph::kNever and run() tries nothing.
    Annealing(const OrderGraph& graph, std::vector<Id> order, Options options);

    // Tries `orders` orders. `begin` and `end` are the shares of the whole search that are over
    // before and after; the later, the shorter an order must be to be kept.
    void run(std::int64_t orders, double begin, double end);

    // The best order that fits in memory, and its length in ticks; OrderGraph::kNever if there is
    // none yet.
    std::int64_t best() const { return m_best; }
    const std::vector<Id>& bestOrder() const { return m_bestOrder; }

private:
    struct Undo
    {
        std::uint32_t device = 0, from = 0, to = 0; // positions within the device
        std::size_t first = 0, count = 0;           // items of the list, in m_undoItems
    };

    std::int64_t place(std::size_t first, std::int64_t longest);
    void change();
    bool move(std::uint32_t device, std::int64_t from, std::int64_t to);
    bool shift(Id item, std::int64_t by);
    void shiftNext(Id item, std::int64_t by, int count);
    void rotate(std::vector<Id>& program, std::int64_t from, std::int64_t to);
    void undo();
    void findCritical();
    std::uint32_t below(std::size_t count)
    {
        return static_cast<std::uint32_t>(m_random() % count);
    }
    bool chance(double probability)
    {
        return static_cast<double>(m_random() >> 11) * 0x1p-53 < probability;
    }
    std::int64_t distance();

    const OrderGraph& m_graph;
    std::vector<Placing> m_placings; // one for each sample
    std::mt19937_64 m_random;
    std::vector<Id> m_order;                // of all devices
    std::vector<std::uint32_t> m_place;     // [item] in m_order
    std::vector<std::vector<Id>> m_program; // [device]
    std::vector<std::uint32_t> m_index;     // [item] in the program of its device
    std::vector<Id> m_next;                 // [item] its ops of the next micro-batch
    std::vector<Id> m_sender;               // [message]
    std::vector<std::uint32_t> m_mark;      // [item] the number of a move
    std::uint32_t m_moves = 0;
    std::vector<Undo> m_undo;
    std::vector<Id> m_undoItems, m_window;
    std::size_t m_first = 0; // in m_order, of the items that the last change moved
    std::vector<Id> m_critical;
    std::int64_t m_length = 0, m_best = OrderGraph::kNever;
    std::vector<Id> m_bestOrder;
    double m_meanDuration = 1;
};

} // namespace profiler
