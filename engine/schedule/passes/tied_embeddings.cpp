#include "engine/schedule/passes/blocking_all_reduce.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {
namespace {

// The position after the last op that contributes to the gradient of the stage. If ops are joined
// with it or sends follow it, the position is after them.
std::size_t readyAt(std::span<const Op> ops, StageId stage)
{
    std::size_t ready = 0;
    for (std::size_t i = 0; i < ops.size(); ++i)
        if (ops[i].stage == stage && finishesBackward(ops[i].kind))
            ready = i + 1;
    return ready == 0 ? 0 : afterSends(ops, ready);
}

using Position = std::ptrdiff_t;

// The first position from `at` on that is after the all-reduces of other stages, but before the OPT
// of `stage`. All-reduces of a device share a stream, so the other all-reduces would otherwise wait
// for the all-reduce of the tied embeddings.
Position afterOthers(const std::vector<Op>& ops, StageId stage, Position at)
{
    for (Position i = at; i < std::ssize(ops); ++i) {
        const Op& op = ops[i];
        if (op.kind == OpKind::OptimizerStep && op.stage == stage)
            break;
        if (op.kind == OpKind::AllReduce)
            at = i + 1;
    }
    return at;
}

void tieEnd(std::vector<Op>& ops, StageId stage, DeviceId other, SyncPolicy policy)
{
    Op reduce = opOf(OpKind::AllReduce, stage);
    reduce.peer = other.value;
    for (Op& op : ops)
        if (op.kind == OpKind::OptimizerStep && op.stage == stage)
            op.peer = reduce.peer;
    Position at = readyAt(ops, stage);
    const auto present = std::ranges::find_if(
        ops, [stage](const Op& op) { return op.kind == OpKind::AllReduce && op.stage == stage; });
    if (present != ops.end()) {
        at = present - ops.begin();
        ops.erase(present);
    }
    at = policy == SyncPolicy::Eager ? afterOthers(ops, stage, at)
                                     : std::max<Position>(firstStep(ops), at);
    ops.insert(ops.begin() + at, reduce);
}

bool calls(std::span<const Op> ops, StageId stage)
{
    return std::ranges::any_of(
        ops, [stage](const Op& op) { return op.kind == OpKind::AllReduce && op.stage == stage; });
}

} // namespace

Schedule tieEmbeddings(Schedule lowered, SyncPolicy policy)
{
    const StageId first{0}, last{lowered.shape.stages - 1};
    if (lowered.shape.replicas > 1)
        return lowered;
    const DeviceId firstDevice = lowered.device(0, first), lastDevice = lowered.device(0, last);
    if (firstDevice == lastDevice)
        return lowered;
    tieEnd(lowered.program[firstDevice], first, lastDevice, policy);
    tieEnd(lowered.program[lastDevice], last, firstDevice, policy);
    return lowered;
}

bool hasTiedEmbeddings(const Schedule& schedule)
{
    return anyOp(schedule,
                 [](const Op& op) { return op.kind == OpKind::AllReduce && tiesEmbeddings(op); });
}

Schedule withoutTiedEmbeddings(Schedule schedule)
{
    for (auto& ops : schedule.program) {
        std::erase_if(
            ops, [](const Op& op) { return op.kind == OpKind::AllReduce && tiesEmbeddings(op); });
        for (Op& op : ops)
            if (op.kind == OpKind::OptimizerStep)
                op.peer = Op::kNoPeer;
    }
    return schedule;
}

void recognizeTiedEmbeddings(Schedule& schedule)
{
    const Shape& shape = schedule.shape;
    const StageId first{0}, last{shape.stages - 1};
    if (shape.replicas * shape.dataParallel > 1 || shape.stages < 3)
        return;
    const DeviceId firstDevice = schedule.device(0, first), lastDevice = schedule.device(0, last);
    if (!firstDevice.isValid() || !lastDevice.isValid() || firstDevice == lastDevice)
        return;
    std::ptrdiff_t callsOfAll = 0;
    for (const auto& ops : schedule.program)
        callsOfAll += std::ranges::count(ops, OpKind::AllReduce, &Op::kind);
    if (callsOfAll != 2 || !calls(schedule.on(firstDevice), first)
        || !calls(schedule.on(lastDevice), last))
        return;
    for (auto& ops : schedule.program)
        for (Op& op : ops)
            if (!hasMicroBatch(op.kind) && !isSharding(op.kind)) {
                if (op.stage == first)
                    op.peer = lastDevice.value;
                if (op.stage == last)
                    op.peer = firstDevice.value;
            }
}

} // namespace engine
