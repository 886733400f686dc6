#include "profiler/search/bound.h"

#include <queue>

#include <algorithm>
#include <cmath>
#include <map>

namespace profiler {

using namespace engine;

namespace {

using Id = OrderGraph::Id;

std::int64_t longestChain(const OrderGraph& graph)
{
    std::int64_t longest = 0;
    for (Id item = 0; item < graph.size(); ++item) {
        const auto& it = graph.items[item];
        longest = std::max(longest, it.head + it.duration + it.tail);
    }
    return longest;
}

// The length of the preemptive schedule of one device that always executes the available item with
// the longest tail; no other is shorter.
std::int64_t preemptive(const OrderGraph& graph, std::vector<Id> items)
{
    struct Open
    {
        std::int64_t tail = 0, left = 0;
        bool operator<(const Open& other) const { return tail < other.tail; }
    };
    std::ranges::sort(items, {}, [&graph](Id item) { return graph.items[item].head; });
    std::priority_queue<Open> open;
    std::int64_t now = 0, length = 0;
    for (std::size_t i = 0; i < items.size() || !open.empty();) {
        if (open.empty())
            now = std::max(now, graph.items[items[i]].head);
        for (; i < items.size() && graph.items[items[i]].head <= now; ++i)
            open.push({graph.items[items[i]].tail, graph.items[items[i]].duration});
        Open one = open.top();
        open.pop();
        const std::int64_t until
            = i < items.size() ? graph.items[items[i]].head : OrderGraph::kNever;
        const std::int64_t done = std::min(one.left, until - now);
        now += done;
        one.left -= done;
        if (one.left == 0)
            length = std::max(length, now + one.tail);
        else
            open.push(one);
    }
    return length;
}

// The items of each micro-batch and direction, in the order of the graph.
std::map<std::pair<int, int>, std::vector<Id>> microBatches(const OrderGraph& graph)
{
    std::map<std::pair<int, int>, std::vector<Id>> all;
    for (const Id item : graph.start())
        for (const Op& op : graph.ops(item)) {
            auto& items = all[{op.microBatch.value, op.replica}];
            if (items.empty() || items.back() != item)
                items.push_back(item);
        }
    return all;
}

// Adds up, for every device, memory times the shortest time from the start of each F to the end of
// the op that frees its stash.
class StashTimes
{
public:
    explicit StashTimes(const OrderGraph& graph)
        : m_graph(graph)
        , m_since(graph.size(), -1)
        , m_arrival(graph.messages.size(), -1)
        , sums(graph.devices())
        , first(graph.devices(), OrderGraph::kNever)
        , last(graph.devices(), OrderGraph::kNever)
    {
        for (const auto& [key, items] : microBatches(graph))
            for (std::size_t i = 0; i < items.size(); ++i)
                add(items, i);
    }

private:
    // The F at `at`, and the items of its micro-batch that follow from it.
    void add(const std::vector<Id>& items, std::size_t at)
    {
        const Id forward = items[at];
        const auto& it = m_graph.items[forward];
        const std::int64_t kept = it.takes - it.frees;
        if (kept <= 0 || m_graph.ops(forward).size() > 1)
            return;
        const Op& op = m_graph.ops(forward).front();
        for (std::size_t i = at; i < items.size(); ++i)
            m_since[items[i]] = -1;
        m_since[forward] = it.duration;
        send(forward);
        for (std::size_t i = at + 1; i < items.size(); ++i) {
            follow(items[i]);
            const Op& other = m_graph.ops(items[i]).front();
            if (m_since[items[i]] < 0 || m_graph.items[items[i]].frees <= 0
                || other.stage != op.stage || other.slice != op.slice)
                continue;
            sums[it.device] += static_cast<double>(kept) * static_cast<double>(m_since[items[i]]);
            first[it.device] = std::min(first[it.device], it.head);
            last[it.device] = std::min(last[it.device], m_graph.items[items[i]].tail);
        }
        for (std::size_t i = at; i < items.size(); ++i)
            for (Id m = m_graph.items[items[i]].message; m < m_graph.items[items[i] + 1].message;
                 ++m)
                m_arrival[m] = -1;
    }
    void follow(Id item)
    {
        std::int64_t begin = -1;
        for (Id i = m_graph.items[item].before; i < m_graph.items[item + 1].before; ++i)
            begin = std::max(begin, m_since[m_graph.befores[i]]);
        for (Id i = m_graph.items[item].input; i < m_graph.items[item + 1].input; ++i)
            begin = std::max(begin, m_arrival[m_graph.inputs[i]]);
        if (begin < 0)
            return;
        m_since[item] = begin + m_graph.items[item].duration;
        send(item);
    }
    void send(Id item)
    {
        for (Id m = m_graph.items[item].message; m < m_graph.items[item + 1].message; ++m)
            m_arrival[m] = m_since[item] + m_graph.messages[m].busy + m_graph.messages[m].latency;
    }

    const OrderGraph& m_graph;
    std::vector<std::int64_t> m_since,
        m_arrival; // ticks since the start of the F; -1: not after it

public:
    std::vector<double> sums;
    std::vector<std::int64_t> first, last; // earliest F, and shortest time after a stash is freed
};

} // namespace

std::int64_t lowerBound(const OrderGraph& graph, std::span<const std::int64_t> limits)
{
    std::int64_t bound = longestChain(graph);
    std::vector<std::vector<Id>> program(graph.devices());
    for (Id item = 0; item < graph.size(); ++item)
        program[graph.items[item].device].push_back(item);
    for (auto& items : program)
        bound = std::max(bound, preemptive(graph, std::move(items)));
    if (limits.empty())
        return bound;
    const StashTimes times(graph);
    for (std::uint32_t d = 0; d < graph.devices(); ++d)
        if (const std::int64_t room = limits[d] - graph.held[d]; room > 0 && times.sums[d] > 0)
            bound = std::max(bound,
                             times.first[d] + times.last[d]
                                 + static_cast<std::int64_t>(
                                     std::floor(times.sums[d] / static_cast<double>(room))));
    return bound;
}

} // namespace profiler
