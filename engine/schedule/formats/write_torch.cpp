#include "engine/base/try.h"
#include "engine/schedule/check/communication.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/formats/torch_csv.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

// The reason why PyTorch cannot express the op; empty if it can.
std::string_view obstacleOf(const Op& op)
{
    if (op.replica != 0)
        return "it supports only one direction";
    if (op.flags == OpFlag::Half)
        return "it supports only whole micro-batches, not halves";
    if (op.slice != Op::kWhole)
        return "it supports only whole micro-batches, not sequence slices";
    if (op.version != 0)
        return "it supports only one version of the weights";
    switch (op.kind) {
    case OpKind::OptimizerStep:
        return "the training loop calls the optimizer; leave opt out of --with";
    case OpKind::Evict:
    case OpKind::Load:
        return "it cannot move a stash to another device";
    case OpKind::Recompute:
        return "its stages recompute as part of the backward";
    default:
        return {};
    }
}

std::string torchAction(const Op& op)
{
    if (op.kind == OpKind::AllReduce)
        return fmt::format("{}REDUCE_GRAD", op.stage.value);
    return toString(op);
}

bool isOverlap(std::span<const Op> group)
{
    return group.size() == 2 && group[0].kind == OpKind::Forward && isBackward(group[1].kind);
}

std::size_t jointSize(std::span<const Op> ops)
{
    std::size_t size = 1;
    while (size < ops.size() && ops[size - 1].flags == OpFlag::JointWithNext)
        ++size;
    return size;
}

// "1F1u: it supports only one direction"; "" if PyTorch can express the ops.
std::string obstacleIn(std::span<const Op> ops)
{
    while (!ops.empty()) {
        const auto group = ops.first(jointSize(ops));
        ops = ops.subspan(group.size());
        for (const Op& op : group)
            if (const std::string_view why = obstacleOf(op); !why.empty())
                return fmt::format("{}: {}", toString(op), why);
        if (group.size() > 1 && !isOverlap(group))
            return toString(group.front()) + ": it can join only one forward and one backward";
    }
    return {};
}

// PyTorch takes the loss of micro-batch m from forward m of the last stage.
std::string obstacleInOrder(const Schedule& schedule)
{
    MicroBatchId latest;
    for (const auto& ops : schedule.program)
        for (const Op& op : ops) {
            if (op.kind != OpKind::Forward || op.stage.value + 1 != schedule.shape.stages)
                continue;
            if (op.microBatch < latest)
                return toString(op) + ": it needs the last stage in micro-batch order";
            latest = op.microBatch;
        }
    return {};
}

std::string torchCell(std::span<const Op> group)
{
    return group.size() == 1
        ? torchAction(group[0])
        : fmt::format("({};{})OVERLAP_F_B", torchAction(group[0]), torchAction(group[1]));
}

// Writes the lines of a file whose cell t is the op of time step t: an op comes after the steps
// that produce its inputs. PyTorch's PipelineScheduleMulti, which torchtitan uses, receives in each
// step the values that its neighbours compute in that step. If the steps are not aligned, it trains
// with wrong activations and reports no error.
class TorchText
{
public:
    TorchText(const Schedule& schedule, bool isAligned)
        : m_shape(schedule.shape)
        , m_isAligned(isAligned)
        , m_ready(valueCount(schedule.shape))
    {
        for (const auto& ops : schedule.program)
            m_lines.emplace_back().left = ops;
    }

    std::string text()
    {
        while (std::ranges::any_of(m_lines, [](const Line& line) { return !line.left.empty(); })) {
            bool isStuck = true;
            for (Line& line : m_lines)
                while (!line.left.empty() && writeCell(line))
                    isStuck = false;
            m_isAligned = m_isAligned && !isStuck; // a deadlocked schedule has no time steps
        }
        std::string text;
        for (const Line& line : m_lines)
            text += line.text + "\n";
        return text;
    }

private:
    struct Line
    {
        std::span<const Op> left;
        std::size_t step = 0; // the first step without an op
        std::string text;
    };

    bool writeCell(Line& line)
    {
        const auto group = line.left.first(jointSize(line.left));
        std::size_t step = line.step;
        for (const Op& op : group)
            for (const Value& input : m_isAligned ? consumes(op, m_shape) : Values()) {
                const std::size_t ready = m_ready[valueIndex(input, m_shape)];
                if (ready == 0)
                    return false;
                step = std::max(step, ready);
            }
        line.text.append(step - line.step + (line.text.empty() ? 0 : 1), ',');
        line.text += torchCell(group);
        line.step = step + 1;
        line.left = line.left.subspan(group.size());
        for (const Op& op : group)
            for (const Value& output : m_isAligned ? produces(op, m_shape) : Values())
                m_ready[valueIndex(output, m_shape)] = line.step;
        return true;
    }

    const Shape& m_shape;
    bool m_isAligned;
    std::vector<std::size_t> m_ready; // [value] the first step that can use it; 0: not produced yet
    std::vector<Line> m_lines;
};

// PyTorch matches sends and receives by order, so both must be listed in the same order. It adds
// transfers and reductions itself to a schedule of compute ops, and rejects such a schedule if it
// has reductions.
Result<void> checkTorchOrder(const Schedule& schedule)
{
    if (!hasTransfers(schedule) && holds(schedule, OpKind::AllReduce))
        return fail(Error::Code::Unsupported,
                    "PyTorch loads either compute ops alone, to which it adds transfers and "
                    "reductions, or all ops; remove allreduce from --with, or add p2p");
    if (!hasTransfers(schedule))
        return {};
    const CommunicationReport report = checkCommunication(schedule);
    const TransportVerdict& verdict = report.verdicts[TransportKind::OneCommunicator];
    if (verdict.safe)
        return {};
    return fail(Error::Code::Unsupported,
                fmt::format("PyTorch matches transfers by order, but {}; remove p2p from --with, "
                            "so that PyTorch adds the transfers",
                            verdict.reason));
}

} // namespace

std::string torchObstacle(const Schedule& schedule)
{
    if (schedule.shape.updateEvery > 0)
        return "asynchronous schedules: it has one version of the weights and one update per "
               "iteration";
    for (const auto& ops : schedule.program)
        if (std::string obstacle = obstacleIn(ops); !obstacle.empty())
            return obstacle;
    return obstacleInOrder(schedule);
}

Result<std::string> writeTorch(const Schedule& schedule)
{
    if (const std::string obstacle = torchObstacle(schedule); !obstacle.empty())
        return fail(Error::Code::Unsupported,
                    fmt::format("PyTorch's schedule format has no {}; use --format csv", obstacle));
    TRY(checkTorchOrder(schedule));
    bool isAligned = !hasTransfers(schedule);
    for (const auto& ops : schedule.program)
        isAligned = isAligned
            && std::ranges::all_of(ops, [&](const Op& op) { return exists(op, schedule.shape); });
    return TorchText(schedule, isAligned).text();
}

} // namespace engine
