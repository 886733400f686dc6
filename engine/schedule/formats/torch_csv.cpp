#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/check/communication.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/formats/assemble.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

constexpr std::string_view kOverlap = "OVERLAP_F_B";

auto badAction(int line, std::string_view cell, std::string_view why)
{
    return fail(Error::Code::Corrupt, "line {}: '{}' {}", line, excerpt(cell), why);
}

Result<Op> torchOp(std::string_view cell, int line)
{
    constexpr std::string_view kReduce = "REDUCE_GRAD";
    const bool reduces = cell.ends_with(kReduce);
    const auto op
        = parseOp(reduces ? fmt::format("{}ALLREDUCE", cell.substr(0, cell.size() - kReduce.size()))
                          : std::string(cell.substr(0, 64)));
    const bool known = op && op->replica == 0 && op->slice == Op::kWhole
        && (reduces || op->kind <= OpKind::RecvGradient || isSharding(op->kind))
        && op->stage.value <= kLargestNumber && op->microBatch.value <= kLargestNumber;
    if (known)
        return *op;
    return badAction(line, cell,
                     "is not a PyTorch action; write stage, kind and micro-batch, as in 2F0, 1B3, "
                     "0I1, 0W1, 1RECV_F0 or (0F4;1B2)OVERLAP_F_B");
}

Result<void> appendOverlap(std::string_view cell, int line, std::vector<Op>& ops)
{
    const std::size_t close = cell.find(')');
    if (close == std::string_view::npos || cell.substr(close + 1) != kOverlap)
        return badAction(line, cell, "must be actions in parentheses followed by OVERLAP_F_B");
    std::string_view inner = cell.substr(1, close - 1);
    std::vector<Op> group;
    while (!inner.empty()) {
        const auto op = TRY(torchOp(trimmed(Lines::take(inner, ';')), line));
        group.push_back(op);
    }
    if (group.size() != 2 || group[0].kind != OpKind::Forward || !isBackward(group[1].kind))
        return badAction(line, cell, "must overlap one forward and one backward");
    group[0].flags = OpFlag::JointWithNext;
    ops.insert(ops.end(), group.begin(), group.end());
    return {};
}

Result<std::vector<Op>> torchOps(std::string_view text, int line)
{
    std::vector<Op> ops;
    while (!text.empty()) {
        const std::string_view cell = trimmed(Lines::take(text, ','));
        if (cell.empty()) // an idle step
            continue;
        if (cell.starts_with('(')) {
            TRY(appendOverlap(cell, line, ops));
            continue;
        }
        const auto op = TRY(torchOp(cell, line));
        ops.push_back(op);
    }
    return ops;
}

// The reason why PyTorch cannot express the op; empty if PyTorch can.
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
        return usesHost(op) ? "it cannot move a stash to host memory"
                            : "it cannot move a stash to another device";
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

// "1F1u: it supports only one direction"; "" if PyTorch can express the ops.
std::string obstacleIn(std::span<const Op> ops)
{
    while (!ops.empty()) {
        const auto group = ops.first(jointEnd(ops, 0));
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
        const auto group = line.left.first(jointEnd(line.left, 0));
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
// transfers, reductions, UNSHARD and RESHARD itself to a schedule of compute ops, and rejects such
// a schedule if it has some.
Result<void> checkTorchOrder(const Schedule& schedule)
{
    if (!hasTransfers(schedule)
        && anyOp(schedule, [](const Op& op) { return !isCompute(op.kind); }))
        return fail(Error::Code::Unsupported,
                    "PyTorch loads either compute ops alone, to which it adds transfers, "
                    "reductions, UNSHARD and RESHARD, or all ops; remove allreduce from --with, or "
                    "add p2p");
    if (!hasTransfers(schedule))
        return {};
    const CommunicationReport report = checkCommunication(schedule);
    const TransportVerdict& verdict = report.verdicts[TransportKind::OneCommunicator];
    if (verdict.safe)
        return {};
    return fail(Error::Code::Unsupported,
                "PyTorch matches transfers by order, but {}; remove p2p from --with, "
                "so that PyTorch adds the transfers",
                verdict.reason);
}

} // namespace

Result<Schedule> readTorch(std::string_view text, std::string_view scheme)
{
    Programs programs;
    std::size_t used = 0; // trailing empty lines are not devices
    Lines lines(text);
    while (const auto line = lines.next()) {
        if (programs.size() > kLargestDevice)
            return fail(Error::Code::Corrupt,
                        "more than {} lines: each line is a device, and a schedule "
                        "cannot have more devices",
                        kLargestDevice + 1);
        auto ops = TRY(torchOps(*line, lines.number()));
        programs.push_back(std::move(ops));
        used = programs.back().empty() ? used : programs.size();
    }
    programs.resize(used);
    if (programs.empty())
        return fail(Error::Code::Corrupt, "the file has no actions");
    const auto shape = TRY(shapeOf(programs));
    return assemble(shape, std::move(programs), scheme);
}

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
                    "PyTorch's schedule format has no {}; use --format csv", obstacle);
    TRY(checkTorchOrder(schedule));
    bool isAligned = !hasTransfers(schedule);
    for (const auto& ops : schedule.program)
        isAligned = isAligned
            && std::ranges::all_of(ops, [&](const Op& op) { return exists(op, schedule.shape); });
    return TorchText(schedule, isAligned).text();
}

} // namespace engine
