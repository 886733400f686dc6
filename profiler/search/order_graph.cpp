#include "profiler/search/order_graph.h"

#include "engine/schedule/dataflow.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/placer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace profiler {

using namespace engine;

namespace {

Result<void> checkKinds(const Schedule& lowered, const TimingRules& rules)
{
    const auto refuse = [](std::string_view what) -> Result<void> {
        return fail(Error::Code::Unsupported,
                    fmt::format("a search cannot change the order of {}", what));
    };
    if (lowered.shape.windows > 1 || lowered.shape.updateEvery > 0)
        return refuse("an asynchronous scheme, which trains with older weights");
    if (holds(lowered, OpKind::Evict) || holds(lowered, OpKind::Load))
        return refuse("evicts and loads; start from a scheme without them");
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
            graph.steps[static_cast<std::size_t>(device.value)] += cost.duration;
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
        return fail(Error::Code::InvalidArgument,
                    "the schedule deadlocks; run bscope validate for the reason");
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

} // namespace profiler
