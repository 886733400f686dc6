#include "profiler/search/annealing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace profiler {

using namespace engine;

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

namespace {

// [item] the item with the same kinds of ops of the same stages, of the next micro-batch.
std::vector<OrderGraph::Id> nextMicroBatches(const OrderGraph& graph)
{
    using Key = std::tuple<OpKind, int, int, int, int>;
    const auto keyOf = [&graph](OrderGraph::Id item, int later) {
        const Op& op = graph.ops(item).front();
        return Key{op.kind, op.replica, op.slice, op.stage.value, op.microBatch.value + later};
    };
    std::map<Key, OrderGraph::Id> items;
    for (OrderGraph::Id item = 0; item < graph.size(); ++item)
        items[keyOf(item, 0)] = item;
    std::vector<OrderGraph::Id> next;
    for (OrderGraph::Id item = 0; item < graph.size(); ++item) {
        const auto found = items.find(keyOf(item, 1));
        next.push_back(found == items.end() ? OrderGraph::kNone : found->second);
    }
    return next;
}

} // namespace

Annealing::Annealing(const OrderGraph& graph, std::vector<Id> order, Options options)
    : m_graph(graph)
    , m_random(options.seed)
    , m_order(std::move(order))
    , m_place(graph.size())
    , m_program(graph.devices())
    , m_index(graph.size())
    , m_next(nextMicroBatches(graph))
    , m_sender(graph.messages.size())
    , m_mark(graph.size())
    , m_bestOrder(m_order)
{
    if (options.samples.empty())
        options.samples.emplace_back();
    for (auto& durations : options.samples)
        m_placings.emplace_back(graph, std::move(durations), options.limits);
    for (std::uint32_t i = 0; i < m_order.size(); ++i) {
        auto& program = m_program[graph.items[m_order[i]].device];
        m_place[m_order[i]] = i;
        m_index[m_order[i]] = static_cast<std::uint32_t>(program.size());
        program.push_back(m_order[i]);
    }
    double sum = 0;
    for (Id item = 0; item < graph.size(); ++item) {
        sum += static_cast<double>(graph.items[item].duration);
        for (Id m = graph.items[item].message; m < graph.items[item + 1].message; ++m)
            m_sender[m] = item;
    }
    m_meanDuration = sum / graph.size();
    m_length = place(0, OrderGraph::kNever);
    m_best = m_length;
    for (Placing& placing : m_placings)
        placing.keep(m_order);
}

std::int64_t Annealing::place(std::size_t first, std::int64_t longest)
{
    if (m_placings.size() == 1)
        return m_placings.front().place(m_order, first, longest);
    std::int64_t sum = 0;
    bool fits = true;
    for (Placing& placing : m_placings) {
        const std::int64_t length = placing.place(m_order, first, OrderGraph::kNever);
        fits = fits && length < OrderGraph::kNever;
        sum += fits ? length : 0;
    }
    const auto mean = sum / static_cast<std::int64_t>(m_placings.size());
    return fits && mean <= longest ? mean : OrderGraph::kNever;
}

void Annealing::run(std::int64_t orders, double begin, double end)
{
    constexpr double kHot = 0.15, kCold = 0.002; // of the mean duration of an item
    if (m_best == OrderGraph::kNever)
        return;
    for (std::int64_t i = 0; i < orders; ++i) {
        const double progress
            = begin + (end - begin) * static_cast<double>(i) / static_cast<double>(orders);
        change();
        if (m_undo.empty())
            continue;
        const double heat = kHot * std::pow(kCold / kHot, progress) * m_meanDuration;
        const double drawn = static_cast<double>((m_random() >> 11) + 1) * 0x1p-53;
        const auto longest = m_length + static_cast<std::int64_t>(-std::log(drawn) * heat);
        const std::int64_t length = place(m_first, longest);
        if (length == OrderGraph::kNever) {
            for (Placing& placing : m_placings)
                placing.drop(m_order);
            undo();
            continue;
        }
        for (Placing& placing : m_placings)
            placing.keep(m_order);
        m_undo.clear();
        m_undoItems.clear();
        m_length = length;
        m_critical.clear();
        if (length < m_best) {
            m_best = length;
            m_bestOrder = m_order;
        }
    }
}

// The items that keep the iteration from being shorter, from the last one back.
void Annealing::findCritical()
{
    m_critical.clear();
    const Placing& placing = m_placings[below(m_placings.size())];
    Id item = m_order.back();
    for (const auto& program : m_program)
        if (!program.empty() && placing.end(program.back()) > placing.end(item))
            item = program.back();
    for (;;) {
        m_critical.push_back(item);
        const std::int64_t begin = placing.begin(item);
        Id before = OrderGraph::kNone;
        if (m_index[item] > 0)
            before = m_program[m_graph.items[item].device][m_index[item] - 1];
        for (Id i = m_graph.items[item].input; i < m_graph.items[item + 1].input; ++i)
            if (placing.arrival(m_graph.inputs[i]) == begin
                && (before == OrderGraph::kNone || placing.end(before) < begin))
                before = m_sender[m_graph.inputs[i]];
        if (before == OrderGraph::kNone)
            return;
        item = before;
    }
}

std::int64_t Annealing::distance()
{
    std::int64_t distance = 1;
    while (distance < 64 && chance(0.75))
        ++distance;
    return distance;
}

void Annealing::change()
{
    m_first = m_order.size();
    Id item = 0;
    std::int64_t by = distance();
    if (chance(0.5)) {
        if (m_critical.empty())
            findCritical();
        item = m_critical[below(m_critical.size())];
        if (!chance(0.25))
            by = -by;
    } else {
        item = below(m_order.size());
        if (chance(0.5))
            by = -by;
    }
    if (!shift(item, by))
        return;
    if (chance(0.2))
        shiftNext(item, by, static_cast<int>(distance()));
    while (chance(0.3)) { // ops near it
        const auto& program = m_program[m_graph.items[item].device];
        const auto at
            = std::clamp<std::int64_t>(m_index[item] + (chance(0.5) ? 1 : -1) * distance(), 0,
                                       static_cast<std::int64_t>(program.size()) - 1);
        shift(program[at], chance(0.5) ? distance() : -distance());
    }
}

void Annealing::shiftNext(Id item, std::int64_t by, int count)
{
    for (; count > 0 && m_next[item] != OrderGraph::kNone; --count) {
        item = m_next[item];
        if (!shift(item, by))
            return;
    }
}

bool Annealing::shift(Id item, std::int64_t by)
{
    const std::uint32_t device = m_graph.items[item].device;
    const auto last = static_cast<std::int64_t>(m_program[device].size()) - 1;
    return move(device, m_index[item], std::clamp<std::int64_t>(m_index[item] + by, 0, last));
}

// Moves an item within its device. In the list, the items between its old and its new place that
// must stay on one side of it move with it. Returns false if one of them is the item that it would
// pass: then the order would deadlock.
bool Annealing::move(std::uint32_t device, std::int64_t from, std::int64_t to)
{
    if (from == to)
        return false;
    auto& program = m_program[device];
    const Id item = program[from];
    const Id other = program[to];
    const bool isEarlier = to < from;
    const std::size_t first = std::min(m_place[item], m_place[other]);
    const std::size_t last = std::max(m_place[item], m_place[other]);
    const std::uint32_t mark = ++m_moves;
    const auto markAround = [&](Id id) {
        const OrderGraph::Item& it = m_graph.items[id];
        const OrderGraph::Item& end = m_graph.items[id + 1];
        if (isEarlier)
            for (Id i = it.before; i < end.before; ++i)
                m_mark[m_graph.befores[i]] = mark;
        else
            for (Id i = it.after; i < end.after; ++i)
                m_mark[m_graph.afters[i]] = mark;
        if (id == item)
            return;
        const auto& own = m_program[it.device];
        const std::uint32_t at = m_index[id];
        if (isEarlier && at > 0)
            m_mark[own[at - 1]] = mark;
        if (!isEarlier && at + 1 < own.size())
            m_mark[own[at + 1]] = mark;
    };
    markAround(item);
    m_window.clear(); // the items that move with it, from the item on
    for (std::size_t i = 1; i <= last - first; ++i) {
        const Id id = m_order[isEarlier ? last - i : first + i];
        if (m_mark[id] != mark)
            continue;
        if (id == other)
            return false;
        m_window.push_back(id);
        markAround(id);
    }
    m_undo.push_back({device, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
                      first, last - first + 1});
    m_undoItems.insert(m_undoItems.end(), m_order.begin() + first, m_order.begin() + last + 1);
    m_first = std::min(m_first, first);
    // Rewrites the list: the marked items and the item change sides with the others.
    const auto moves = [&](Id id) { return id == item || m_mark[id] == mark; };
    m_window.clear();
    for (std::size_t i = first; i <= last; ++i)
        if (moves(m_order[i]) == isEarlier)
            m_window.push_back(m_order[i]);
    for (std::size_t i = first; i <= last; ++i)
        if (moves(m_order[i]) != isEarlier)
            m_window.push_back(m_order[i]);
    for (std::size_t i = first; i <= last; ++i) {
        m_order[i] = m_window[i - first];
        m_place[m_order[i]] = static_cast<std::uint32_t>(i);
    }
    rotate(program, from, to);
    return true;
}

// Moves the item at `from` to `to` in the program of its device.
void Annealing::rotate(std::vector<Id>& program, std::int64_t from, std::int64_t to)
{
    const auto at = program.begin();
    if (to < from)
        std::rotate(at + to, at + from, at + from + 1);
    else
        std::rotate(at + from, at + from + 1, at + to + 1);
    for (auto i = std::min(from, to); i <= std::max(from, to); ++i)
        m_index[program[i]] = static_cast<std::uint32_t>(i);
}

void Annealing::undo()
{
    for (; !m_undo.empty(); m_undo.pop_back()) {
        const Undo& last = m_undo.back();
        const std::size_t at = m_undoItems.size() - last.count;
        for (std::size_t i = 0; i < last.count; ++i) {
            m_order[last.first + i] = m_undoItems[at + i];
            m_place[m_undoItems[at + i]] = static_cast<std::uint32_t>(last.first + i);
        }
        m_undoItems.resize(at);
        rotate(m_program[last.device], last.to, last.from);
    }
}

} // namespace profiler
