#include "engine/schedule/check/communication.h"
#include "engine/schedule/formats/torch_csv.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"

#include <fmt/format.h>

namespace engine {
namespace {

// Why PyTorch has no such op; nothing where it has.
std::string_view torchObstacle(const Op& op)
{
    if (op.replica != 0)
        return "it knows one direction, in which a stage is on one device";
    if (op.flags == OpFlag::Half)
        return "it knows whole micro-batches, no halves";
    if (op.slice != Op::kWhole)
        return "it knows whole micro-batches, no slices of the sequence";
    if (op.version != 0)
        return "it has one version of the weights";
    switch (op.kind) {
    case OpKind::OptimizerStep:
        return "the training loop calls the optimizer; leave opt out of --with";
    case OpKind::Evict:
    case OpKind::Load:
        return "it keeps every stash on its own device";
    case OpKind::Recompute:
        return "recomputation is the stage's own matter there";
    default:
        return {};
    }
}

auto refuse(const Op& op, std::string_view why)
{
    return fail(Error::Code::Unsupported,
                fmt::format("PyTorch's schedule format has no {}: {}; use --format csv",
                            toString(op), why));
}

std::string torchAction(const Op& op)
{
    if (op.kind == OpKind::AllReduce)
        return fmt::format("{}REDUCE_GRAD", op.stage.value);
    return toString(op);
}

// A forward and a backward that run as one.
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

Result<std::string> torchLine(std::span<const Op> ops)
{
    std::string line;
    while (!ops.empty()) {
        const auto group = ops.first(jointSize(ops));
        ops = ops.subspan(group.size());
        for (const Op& op : group)
            if (const std::string_view why = torchObstacle(op); !why.empty())
                return refuse(op, why);
        if (group.size() > 1 && !isOverlap(group))
            return refuse(group.front(), "it can join only one forward and one backward");
        line += line.empty() ? "" : ",";
        line += group.size() == 1
            ? torchAction(group[0])
            : fmt::format("({};{})OVERLAP_F_B", torchAction(group[0]), torchAction(group[1]));
    }
    return line;
}

// PyTorch calls receives where they stand, without tags: they must stand in the order of the sends.
// In a schedule without transfers PyTorch puts them there itself, and the reductions, of which it
// wants to find none.
Result<void> checkTorchOrder(const Schedule& schedule)
{
    if (!hasTransfers(schedule) && holds(schedule, OpKind::AllReduce))
        return fail(
            Error::Code::Unsupported,
            "PyTorch loads compute ops alone, to which it adds transfers and reductions, or "
            "all of them; leave allreduce out of --with, or put p2p in");
    if (!hasTransfers(schedule))
        return {};
    const CommunicationReport report = checkCommunication(schedule);
    const TransportVerdict& verdict = report.of(TransportKind::OneCommunicator);
    if (verdict.safe)
        return {};
    return fail(Error::Code::Unsupported,
                fmt::format("PyTorch has no tags, and {}; leave p2p out of --with: PyTorch then "
                            "adds the transfers in the order of the sends",
                            verdict.reason));
}

} // namespace

Result<std::string> writeTorch(const Schedule& schedule)
{
    if (schedule.shape.updateEvery > 0)
        return fail(Error::Code::Unsupported,
                    "PyTorch runs no asynchronous schedule: it has one version of the weights and "
                    "one update per iteration; use --format csv");
    std::string text;
    for (const auto& ops : schedule.program) {
        auto line = torchLine(ops);
        if (!line)
            return tl::unexpected(line.error());
        text += *line + "\n";
    }
    if (auto order = checkTorchOrder(schedule); !order)
        return tl::unexpected(order.error());
    return text;
}

} // namespace engine
