#pragma once

#include "profiler/search/placing.h"

#include <cstdint>
#include <random>
#include <vector>

namespace profiler {

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
