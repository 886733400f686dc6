#include "profiler/search/order_graph.h"

#include "engine/schedule/dataflow.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/placer.h"

#include <queue>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace profiler {

using namespace engine;

namespace {

Result<void> checkKinds(const Schedule& lowered, const TimingRules& rules)
{
    const auto refuse = [](std::string_view what) -> Result<void> {
        return fail(Error::Code::Unsupported, "a search cannot change the order of {}", what);
    };
    if (lowered.shape.windows > 1 || lowered.shape.updateEvery > 0)
        return refuse("an asynchronous scheme, which trains with older weights");
    if (holds(lowered, OpKind::Evict) || holds(lowered, OpKind::Load))
        return refuse("evicts and loads; start from a scheme without them");
    if (anyOp(lowered, [](const Op& op) { return isSharding(op.kind); }))
        return refuse("UNSHARD and RESHARD; remove them from the file");
    if (rules.receive == ReceiveRule::Deferred)
        return refuse("deferred receives; use --receive eager");
    return {};
}

} // namespace

// Builds the graph in the order of its members.
struct OrderGraph::Builder
{
    OrderGraph& graph;
    const Schedule& lowered;
    const OpCosts& costs;
    std::unordered_map<std::uint64_t, Id> producers; // [value and kind of op]
    std::unordered_map<std::uint32_t, Id> sent;      // [value] its message
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> linkOf; // [from, to]
    std::map<StageId, Id> allReduceOf;
    bool isComplete = true; // every value has a producer

    static std::uint64_t keyOf(std::uint32_t value, OpKind kind)
    {
        return (std::uint64_t{value} << 8) + static_cast<std::uint64_t>(kind);
    }

    void addOps()
    {
        for (const DeviceId d : lowered.program.ids())
            for (std::size_t i = 0; i < lowered.program[d].size(); ++i) {
                const Op& op = lowered.program[d][i];
                const OpCosts::Cost& cost = costs.of[d][i];
                if (isSend(op.kind))
                    addMessage(d, op, cost);
                else if (op.kind == OpKind::AllReduce)
                    addAllReduce(d, op, cost);
                else if (op.kind == OpKind::OptimizerStep)
                    addStep(d, op, cost);
                else if (isCompute(op.kind))
                    addOp(d, i, op, cost);
            }
        graph.items.push_back({});
        graph.items.back().message = static_cast<Id>(graph.messages.size());
    }
    void addOp(DeviceId device, std::size_t position, Op op, const OpCosts::Cost& cost)
    {
        const auto& program = lowered.program[device];
        const bool joins = position > 0 && program[position - 1].flags == OpFlag::JointWithNext;
        if (!joins) {
            graph.items.push_back({});
            graph.items.back().device = static_cast<std::uint32_t>(device.value);
            graph.items.back().message = static_cast<Id>(graph.messages.size());
            graph.m_ops.emplace_back();
        }
        Item& item = graph.items.back();
        item.duration += cost.duration;
        const bool ends = op.flags != OpFlag::JointWithNext;
        if (joins && ends)
            item.duration = sim::scaled(item.duration, costs.rules.joint);
        const Id id = static_cast<Id>(graph.items.size() - 1);
        for (const Value& value : produces(op, lowered.shape))
            producers[keyOf(valueIndex(value, lowered.shape), op.kind)] = id;
        if (!ends)
            op.flags = OpFlag::None;
        graph.m_ops[id].push_back(op);
    }
    void addMessage(DeviceId device, const Op& op, const OpCosts::Cost& cost)
    {
        const auto [link, isNew]
            = linkOf.try_emplace({static_cast<std::uint32_t>(device.value), op.peer}, graph.links);
        graph.links += isNew ? 1 : 0;
        sent[valueIndex(transferredValue(op, lowered.shape), lowered.shape)]
            = static_cast<Id>(graph.messages.size());
        graph.messages.push_back({link->second, cost.duration, cost.latency});
    }
    void addAllReduce(DeviceId device, const Op& op, const OpCosts::Cost& cost)
    {
        const auto [found, isNew]
            = allReduceOf.try_emplace(allReduceStage(op), static_cast<Id>(graph.allReduces.size()));
        if (isNew)
            graph.allReduces.push_back({allReduceStage(op).value, 0, {}});
        AllReduce& all = graph.allReduces[found->second];
        all.duration = std::max(all.duration, cost.duration);
        AllReduce::Call call{static_cast<std::uint32_t>(device.value), op.replica, 0, {}};
        for (Id item = 0; item < graph.m_ops.size(); ++item)
            for (const Op& other : graph.m_ops[item])
                if (graph.items[item].device == call.device && other.stage == op.stage
                    && other.replica == op.replica && isBackward(other.kind))
                    call.items.push_back(item);
        all.calls.push_back(std::move(call));
    }
    void addStep(DeviceId device, const Op& op, const OpCosts::Cost& cost)
    {
        if (const auto found = allReduceOf.find(allReduceStage(op)); found != allReduceOf.end()) {
            for (AllReduce::Call& call : graph.allReduces[found->second].calls)
                if (call.device == static_cast<std::uint32_t>(device.value)
                    && call.replica == op.replica)
                    call.step = cost.duration;
        } else {
            graph.steps[device.value] += cost.duration;
        }
    }

    void addMemory(const Memory& memory)
    {
        const RebuiltStashes rebuilt(lowered);
        for (Id item = 0; item < graph.size(); ++item)
            for (const Op& op : graph.m_ops[item]) {
                const HeldParts& part = memory.ofPart[op.stage];
                const bool byBackward = memory.backwardRebuilds && !rebuilt.any();
                const HeldChange change = heldChange(
                    op, lowered.shape, byBackward ? RebuiltBy::Backward : rebuilt.of(op));
                const auto sizeOf = [&part](const HeldParts& parts) {
                    return part.whole * parts.whole + part.kept * parts.kept;
                };
                graph.items[item].takes += sizeOf(change.ownAtBegin);
                graph.items[item].frees -= sizeOf(change.ownAtEnd);
            }
        graph.held = memory.held;
        graph.held.resize(lowered.program.size());
    }

    void addInputs()
    {
        std::vector<std::vector<Id>> afters(graph.size());
        for (Id item = 0; item < graph.size(); ++item) {
            graph.items[item].input = static_cast<Id>(graph.inputs.size());
            graph.items[item].before = static_cast<Id>(graph.befores.size());
            for (const Op& op : graph.m_ops[item])
                for (const Value& value : consumes(op, lowered.shape))
                    addInput(item, op, value);
            for (Id i = graph.items[item].before; i < graph.befores.size(); ++i)
                afters[graph.befores[i]].push_back(item);
        }
        for (Id item = 0; item < graph.size(); ++item) {
            graph.items[item].after = static_cast<Id>(graph.afters.size());
            graph.afters.insert(graph.afters.end(), afters[item].begin(), afters[item].end());
        }
        Item& end = graph.items.back();
        end.input = static_cast<Id>(graph.inputs.size());
        end.before = static_cast<Id>(graph.befores.size());
        end.after = static_cast<Id>(graph.afters.size());
        for (Id item = 0; item < graph.size(); ++item)
            graph.items[item].ops = static_cast<std::uint32_t>(graph.m_ops[item].size())
                + graph.items[item + 1].message - graph.items[item].message
                + graph.items[item + 1].input - graph.items[item].input;
    }
    void addInput(Id item, const Op& op, const Value& value)
    {
        const std::uint32_t index = valueIndex(value, lowered.shape);
        for (const OpKind kind : makersOf(value.kind, op.kind)) {
            const auto producer = producers.find(keyOf(index, kind));
            if (producer == producers.end())
                continue;
            if (producer->second == item)
                return;
            graph.befores.push_back(producer->second);
            if (graph.items[producer->second].device != graph.items[item].device)
                graph.inputs.push_back(sent.at(index));
            return;
        }
        isComplete = false;
    }

    // Every item after its inputs and after the items before it on its device.
    void sort()
    {
        std::vector<Id> next(graph.devices()), end(graph.devices());
        for (Id item = graph.size(); item-- > 0;)
            next[graph.items[item].device] = item;
        for (Id item = 0; item < graph.size(); ++item)
            end[graph.items[item].device] = item + 1;
        std::vector<bool> done(graph.size());
        const auto isReady = [&](Id item) {
            for (Id i = graph.items[item].before; i < graph.items[item + 1].before; ++i)
                if (!done[graph.befores[i]])
                    return false;
            return true;
        };
        for (bool moves = true; moves;) {
            moves = false;
            for (std::uint32_t d = 0; d < graph.devices(); ++d)
                for (; next[d] < end[d] && isReady(next[d]); ++next[d], moves = true) {
                    done[next[d]] = true;
                    graph.m_start.push_back(next[d]);
                }
        }
    }

    // The shortest way from the start to every item, and from there to the end.
    void addHeadsAndTails()
    {
        std::vector<std::int64_t> steps = graph.steps;
        for (const AllReduce& all : graph.allReduces)
            for (const AllReduce::Call& call : all.calls)
                steps[call.device] += call.step;
        const auto& order = graph.m_start;
        std::vector<std::int64_t> arrival(graph.messages.size());
        for (const Id id : order) {
            Item& item = graph.items[id];
            for (Id i = item.before; i < graph.items[id + 1].before; ++i) {
                const Item& before = graph.items[graph.befores[i]];
                item.head = std::max(item.head, before.head + before.duration);
            }
            for (Id i = item.input; i < graph.items[id + 1].input; ++i)
                item.head = std::max(item.head, arrival[graph.inputs[i]]);
            for (Id m = item.message; m < graph.items[id + 1].message; ++m)
                arrival[m] = item.head + item.duration + graph.messages[m].busy
                    + graph.messages[m].latency;
        }
        std::vector<std::int64_t> left(graph.messages.size()); // from an arrival to the end
        for (auto id = order.rbegin(); id != order.rend(); ++id) {
            Item& item = graph.items[*id];
            item.tail = steps[item.device];
            for (Id i = item.after; i < graph.items[*id + 1].after; ++i) {
                const Item& after = graph.items[graph.afters[i]];
                item.tail = std::max(item.tail, after.duration + after.tail);
            }
            for (Id m = item.message; m < graph.items[*id + 1].message; ++m)
                item.tail = std::max(item.tail,
                                     graph.messages[m].busy + graph.messages[m].latency + left[m]);
            for (Id i = item.input; i < graph.items[*id + 1].input; ++i)
                left[graph.inputs[i]] = std::max(left[graph.inputs[i]], item.duration + item.tail);
        }
    }
};

Result<OrderGraph> OrderGraph::of(const Schedule& lowered, const OpCosts& costs,
                                  const Memory& memory)
{
    if (auto fits = checkKinds(lowered, costs.rules); !fits)
        return tl::unexpected(fits.error());
    OrderGraph graph;
    graph.m_order = {lowered.scheme, lowered.shape, lowered.deviceOf, {}};
    graph.steps.resize(lowered.program.size());
    graph.held.resize(lowered.program.size());
    graph.sendsBlock = costs.rules.blockingSend;
    graph.m_isExact = costs.links == nullptr && costs.rules.slowDown == Fraction{1}
        && !costs.rules.blockingAllReduce;
    Builder builder{graph, lowered, costs, {}, {}, {}, {}, true};
    builder.addOps();
    builder.addMemory(memory);
    builder.addInputs();
    if (!builder.isComplete)
        return fail(Error::Code::Unsupported,
                    "a search cannot change the order of ops whose inputs are only parts of other "
                    "ops, as with halves of micro-batches");
    builder.sort();
    if (graph.m_start.size() != graph.size())
        return invalid("the schedule deadlocks; run bscope validate for the reason");
    builder.addHeadsAndTails();
    return graph;
}

Schedule OrderGraph::scheduleOf(const std::vector<Id>& order) const
{
    Schedule schedule = m_order;
    schedule.program.resize(devices());
    for (const Id item : order) {
        auto& program = schedule.program[DeviceId{static_cast<int>(items[item].device)}];
        for (std::size_t i = 0; i < m_ops[item].size(); ++i) {
            program.push_back(m_ops[item][i]);
            if (i + 1 < m_ops[item].size())
                program.back().flags = OpFlag::JointWithNext;
        }
    }
    return schedule;
}

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

namespace {

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
