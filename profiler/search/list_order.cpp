#include "profiler/search/list_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace profiler {

using namespace engine;

namespace {

using Id = OrderGraph::Id;

class ListScheduler
{
public:
    ListScheduler(const OrderGraph& graph, std::span<const std::int64_t> limits, int inFlight)
        : m_graph(graph)
        , m_limits(limits)
        , m_inFlight(inFlight)
        , m_free(graph.devices())
        , m_linkFree(graph.links)
        , m_held(graph.held)
        , m_arrival(graph.messages.size())
        , m_missing(graph.size())
        , m_ready(graph.devices())
        , m_best(graph.devices())
        , m_changed(graph.devices(), true)
    {
        for (Id item = 0; item < graph.size(); ++item) {
            m_missing[item] = graph.items[item + 1].before - graph.items[item].before;
            for (const int microBatch : microBatchesOf(item))
                ++m_left[microBatch];
            if (m_missing[item] == 0)
                m_ready[graph.items[item].device].push_back(item);
        }
    }

    std::vector<Id> run()
    {
        std::vector<Id> order;
        for (;;) {
            Choice best;
            for (std::uint32_t d = 0; d < m_graph.devices(); ++d)
                best = std::min(best, bestOf(d));
            if (best.item == OrderGraph::kNone)
                break;
            place(best);
            order.push_back(best.item);
        }
        return order.size() == m_graph.size() ? order : std::vector<Id>();
    }

private:
    // Compared by its members in this order.
    struct Choice
    {
        std::int64_t begin = OrderGraph::kNever;
        int rank = 0, microBatch = 0, stage = 0;
        Id item = OrderGraph::kNone;

        auto operator<=>(const Choice&) const = default;
    };

    std::vector<int> microBatchesOf(Id item) const
    {
        std::vector<int> all;
        for (const Op& op : m_graph.ops(item))
            if (std::ranges::find(all, op.microBatch.value) == all.end())
                all.push_back(op.microBatch.value);
        return all;
    }
    // The op that the device would execute next. It is kept until something on the device changes.
    const Choice& bestOf(std::uint32_t device)
    {
        Choice& best = m_best[device];
        if (!m_changed[device])
            return best;
        m_changed[device] = false;
        best = {};
        for (const Id item : m_ready[device])
            if (mayRun(item))
                best = std::min(best, choice(item));
        return best;
    }
    bool mayRun(Id item) const
    {
        const auto& it = m_graph.items[item];
        if (!m_limits.empty() && m_held[it.device] + it.takes > m_limits[it.device])
            return false;
        return static_cast<int>(m_begun.size()) < m_inFlight
            || std::ranges::all_of(microBatchesOf(item),
                                   [this](int microBatch) { return m_begun.contains(microBatch); });
    }
    Choice choice(Id item) const
    {
        const auto& it = m_graph.items[item];
        std::int64_t begin = m_free[it.device];
        for (Id i = it.input; i < m_graph.items[item + 1].input; ++i)
            begin = std::max(begin, m_arrival[m_graph.inputs[i]]);
        const Op& op = m_graph.ops(item).front();
        const int rank = op.kind == OpKind::BackwardWeight ? 2 : op.kind == OpKind::Forward ? 1 : 0;
        return {begin, rank, op.microBatch.value, -op.stage.value, item};
    }
    void place(const Choice& choice)
    {
        const Id item = choice.item;
        const auto& it = m_graph.items[item];
        const std::int64_t end = choice.begin + it.duration;
        m_free[it.device] = end;
        m_held[it.device] += it.takes - it.frees;
        for (Id m = it.message; m < m_graph.items[item + 1].message; ++m) {
            const auto& message = m_graph.messages[m];
            const std::int64_t sent = std::max(m_linkFree[message.link], end) + message.busy;
            m_linkFree[message.link] = sent;
            m_arrival[m] = sent + message.latency;
            if (m_graph.sendsBlock)
                m_free[it.device] = std::max(m_free[it.device], sent);
        }
        m_changed[it.device] = true;
        for (const int microBatch : microBatchesOf(item)) {
            const bool begins = m_begun.insert(microBatch).second;
            const bool ends = --m_left[microBatch] == 0;
            if (ends)
                m_begun.erase(microBatch);
            if (begins || ends) // other devices may begin another one, or may not
                m_changed.assign(m_graph.devices(), true);
        }
        std::erase(m_ready[it.device], item);
        for (Id i = it.after; i < m_graph.items[item + 1].after; ++i) {
            const Id after = m_graph.afters[i];
            if (--m_missing[after] > 0)
                continue;
            m_ready[m_graph.items[after].device].push_back(after);
            m_changed[m_graph.items[after].device] = true;
        }
    }

    const OrderGraph& m_graph;
    std::span<const std::int64_t> m_limits;
    int m_inFlight;
    std::vector<std::int64_t> m_free, m_linkFree, m_held, m_arrival;
    std::vector<Id> m_missing; // [item] inputs that are not complete
    std::vector<std::vector<Id>> m_ready;
    std::vector<Choice> m_best;  // [device] kept unless it has changed
    std::vector<bool> m_changed; // [device]
    std::map<int, int> m_left;   // [micro-batch] items that are not placed
    std::set<int> m_begun;       // micro-batches that have begun and are not complete
};

} // namespace

std::vector<Id> listOrder(const OrderGraph& graph, std::span<const std::int64_t> limits,
                          int inFlight)
{
    return ListScheduler(graph, limits, inFlight).run();
}

} // namespace profiler
