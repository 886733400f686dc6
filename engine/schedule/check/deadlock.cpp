#include "engine/schedule/check/validate.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

// A node of the graph of waits: a blocked device, or the all-reduce of a stage.
struct Node
{
    enum class Kind : std::uint8_t { Device, AllReduce, None };

    Kind kind = Kind::None;
    int id = -1;

    friend bool operator==(Node, Node) = default;
};

class DryRun
{
public:
    explicit DryRun(const Schedule& schedule)
        : m_schedule(schedule)
        , m_next(schedule.program.size())
        , m_ready(valueCount(schedule.shape))
        , m_queues(schedule.program.size())
        , m_callers(allReduceCallers(schedule))
        , m_followed(schedule.program.size() + m_callers.size())
        , m_hasTransfers(hasTransfers(schedule))
    { }

    std::optional<Violation> find(DeadlockKind wanted)
    {
        bool moved = true;
        while (moved) {
            moved = false;
            for (const DeviceId d : m_next.ids())
                moved = run(d) || moved;
        }
        const std::vector<Node> nodes = stuckNodes();
        for (const Node node : nodes)
            if (auto circle = follow(node))
                return circle;
        if (wanted == DeadlockKind::Any && !nodes.empty())
            return violation({&nodes.front(), 1});
        return std::nullopt;
    }

private:
    struct Queue
    {
        std::vector<StageId> calls;
        std::size_t head = 0;
    };

    bool belongs(const Op& op, DeviceId device) const
    {
        return exists(op, m_schedule.shape) && m_schedule.device(op.replica, op.stage) == device;
    }

    std::vector<Node> stuckNodes() const
    {
        std::vector<Node> nodes;
        for (const DeviceId d : m_next.ids())
            if (m_next[d] < m_schedule.program[d].size())
                nodes.push_back({Node::Kind::Device, d.value});
        for (const Queue& queue : m_queues)
            if (queue.head < queue.calls.size())
                nodes.push_back({Node::Kind::AllReduce, queue.calls[queue.head].value});
        return nodes;
    }

    // Advances a device as far as possible; returns whether it moved.
    bool run(DeviceId device)
    {
        const std::vector<Op>& ops = m_schedule.program[device];
        const std::size_t before = m_next[device];
        while (m_next[device] < ops.size() && !blockedOp(device)) {
            const std::size_t end = jointEnd(ops, m_next[device]);
            for (; m_next[device] < end; ++m_next[device])
                if (const Op& op = ops[m_next[device]]; belongs(op, device))
                    execute(op, device);
        }
        return meet(device) || m_next[device] != before;
    }

    // The position of the first op in the device's next group that waits for an input; nullopt if
    // none waits.
    std::optional<std::size_t> blockedOp(DeviceId device) const
    {
        const std::vector<Op>& ops = m_schedule.program[device];
        for (std::size_t i = m_next[device]; i < jointEnd(ops, m_next[device]); ++i)
            if (belongs(ops[i], device) && missingInput(ops[i], device))
                return i;
        return std::nullopt;
    }

    // The input of the op that comes from another device and is not yet produced.
    std::optional<Value> missingInput(const Op& op, DeviceId device) const
    {
        for (const Value& value : consumes(op, m_schedule.shape)) {
            const bool reduced = value.kind == Value::Kind::ReducedGradient;
            const DeviceId maker = m_schedule.device(value.replica, value.stage);
            if (reduced ? m_callers[value.stage].empty() : maker == device)
                continue;
            if (!m_ready[valueIndex(value, m_schedule.shape)])
                return value;
        }
        return std::nullopt;
    }

    void execute(const Op& op, DeviceId device)
    {
        if (op.kind == OpKind::AllReduce) {
            m_queues[device].calls.push_back(allReduceStage(op));
            // Clears the result of an earlier update.
            for (const Value& value : produces(op, m_schedule.shape))
                m_ready[valueIndex(value, m_schedule.shape)] = false;
        } else if (isSend(op.kind))
            m_ready[valueIndex(transferredValue(op, m_schedule.shape), m_schedule.shape)] = true;
        else if (!m_hasTransfers)
            for (const Value& value : produces(op, m_schedule.shape))
                m_ready[valueIndex(value, m_schedule.shape)] = true;
    }

    // Completes the all-reduces at the head of the device's queue, up to the first one that not all
    // devices of its stage have reached. Returns whether any was completed.
    bool meet(DeviceId device)
    {
        Queue& queue = m_queues[device];
        bool moved = false;
        while (queue.head < queue.calls.size() && !absentee(queue.calls[queue.head])) {
            const StageId stage = queue.calls[queue.head];
            for (std::uint8_t replica = 0; replica < m_schedule.shape.replicas; ++replica)
                m_ready[valueIndex({Value::Kind::ReducedGradient, replica, Op::kWhole, stage, {}},
                                   m_schedule.shape)]
                    = true;
            for (const DeviceId caller : m_callers[stage])
                ++m_queues[caller].head;
            moved = true;
        }
        return moved;
    }

    // A device that has not reached the stage's all-reduce.
    std::optional<DeviceId> absentee(StageId stage) const
    {
        for (const DeviceId caller : m_callers[stage]) {
            const Queue& queue = m_queues[caller];
            const auto rows = std::ranges::count(m_callers[stage], caller);
            std::size_t end = queue.head;
            while (end < queue.calls.size() && queue.calls[end] == stage)
                ++end;
            if (std::cmp_less(end - queue.head, rows))
                return caller;
        }
        return std::nullopt;
    }

    // The node that `node` waits for; Kind::None if no remaining op produces the value.
    Node behind(Node node) const
    {
        if (node.kind == Node::Kind::AllReduce) {
            const DeviceId device = *absentee(StageId{node.id});
            const Queue& queue = m_queues[device];
            if (queue.head < queue.calls.size() && queue.calls[queue.head].value != node.id)
                return {Node::Kind::AllReduce, queue.calls[queue.head].value};
            return stuckAt(device);
        }
        const Value value = waitedFor(DeviceId{node.id});
        if (value.kind == Value::Kind::ReducedGradient)
            return absentee(value.stage) ? Node{Node::Kind::AllReduce, value.stage.value} : Node{};
        const DeviceId maker = m_schedule.device(value.replica, value.stage);
        return willMake(maker, value) ? stuckAt(maker) : Node{};
    }

    // Whether the remaining ops of the device produce the value.
    bool willMake(DeviceId device, const Value& wanted) const
    {
        if (!device.isValid())
            return false;
        const auto left = m_schedule.on(device).subspan(m_next[device]);
        return std::ranges::any_of(left, [this, device, &wanted](const Op& op) {
            if (!belongs(op, device))
                return false;
            if (m_hasTransfers)
                return isSend(op.kind) && transferredValue(op, m_schedule.shape) == wanted;
            const Values made = produces(op, m_schedule.shape);
            return std::find(made.begin(), made.end(), wanted) != made.end();
        });
    }

    Node stuckAt(DeviceId device) const
    {
        const bool ended = !device.isValid() || m_next[device] == m_schedule.on(device).size();
        return ended ? Node{} : Node{Node::Kind::Device, device.value};
    }

    Value waitedFor(DeviceId device) const
    {
        return *missingInput(m_schedule.program[device][*blockedOp(device)], device);
    }

    // Follows the waits from `start` until a node repeats, and returns that cycle. Stops at a node
    // that an earlier call has followed, because such a node leads to no other cycle.
    std::optional<Violation> follow(Node start)
    {
        std::vector<Node> path;
        for (Node node = start; node.kind != Node::Kind::None; node = behind(node)) {
            const auto again = std::ranges::find(path, node);
            if (again != path.end())
                return violation({again, path.end()});
            if (isFollowed(node))
                return std::nullopt;
            isFollowed(node) = true;
            path.push_back(node);
        }
        return std::nullopt;
    }

    std::vector<bool>::reference isFollowed(Node node)
    {
        const std::size_t offset = node.kind == Node::Kind::Device ? 0 : m_next.size();
        return m_followed[offset + node.id];
    }

    Violation violation(std::span<const Node> nodes) const
    {
        Violation violation;
        violation.kind = Violation::Kind::Deadlock;
        for (const Node node : nodes) {
            violation.message += violation.message.empty() ? "no device can proceed: " : "; ";
            violation.message += describe(node);
            if (node.kind == Node::Kind::Device && violation.index < 0) {
                const DeviceId d{node.id};
                violation.device = d;
                violation.index = static_cast<int>(*blockedOp(d));
                violation.op = m_schedule.program[d][*blockedOp(d)];
            }
        }
        return violation;
    }

    std::string describe(Node node) const
    {
        if (node.kind == Node::Kind::AllReduce)
            return fmt::format("the all-reduce of stage {} waits for device {}", node.id,
                               absentee(StageId{node.id})->value);
        const DeviceId d{node.id};
        const Value value = waitedFor(d);
        return fmt::format("device {}, index {}: {} waits for the {} from device {}", d.value,
                           *blockedOp(d), toString(m_schedule.program[d][*blockedOp(d)]),
                           engine::describe(value),
                           m_schedule.device(value.replica, value.stage).value);
    }

    const Schedule& m_schedule;
    IdVector<DeviceId, std::size_t> m_next;
    std::vector<bool> m_ready;                          // [value] produced, and sent if needed
    IdVector<DeviceId, Queue> m_queues;                 // [device] started all-reduces, in order
    IdVector<StageId, std::vector<DeviceId>> m_callers; // one entry per replica
    std::vector<bool> m_followed;                       // [device, then stage]
    bool m_hasTransfers = false;
};

} // namespace

std::optional<Violation> findDeadlock(const Schedule& schedule, DeadlockKind kind)
{
    return DryRun(schedule).find(kind);
}

} // namespace engine
