#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {

bool isSend(OpKind kind)
{
    return kind == OpKind::SendActivation || kind == OpKind::SendGradient;
}

StageId otherStage(const Op& transfer, const Shape& shape)
{
    const Value value = transferredValue(transfer, shape);
    return isSend(transfer.kind) ? *receivingStage(value, shape) : value.stage;
}

DeviceId otherDevice(const Schedule& schedule, const Op& transfer)
{
    return schedule.device(transfer.replica, otherStage(transfer, schedule.shape));
}

Op otherEnd(const Op& transfer, const Shape& shape)
{
    Op other = transfer;
    other.stage = otherStage(transfer, shape);
    other.peer = Op::kNoPeer;
    const int kind = static_cast<int>(transfer.kind); // each SEND precedes its RECV
    other.kind = static_cast<OpKind>(isSend(transfer.kind) ? kind + 1 : kind - 1);
    return other;
}

OpKind sendOf(Value::Kind value)
{
    return value == Value::Kind::Activation ? OpKind::SendActivation : OpKind::SendGradient;
}

OpKind receiveOf(Value::Kind value)
{
    return value == Value::Kind::Activation ? OpKind::RecvActivation : OpKind::RecvGradient;
}

std::vector<bool> shardedRows(const Schedule& schedule)
{
    std::vector<bool> rows(schedule.shape.rows());
    for (const auto& ops : schedule.program)
        for (const Op& op : ops)
            if (isSharding(op.kind) && exists(op, schedule.shape))
                rows[schedule.shape.row(op.replica, op.stage)] = true;
    return rows;
}

bool holds(const Schedule& schedule, OpKind kind)
{
    return anyOp(schedule, [kind](const Op& op) { return op.kind == kind; });
}

IdVector<StageId, std::vector<DeviceId>> allReduceCallers(const Schedule& schedule)
{
    IdVector<StageId, std::vector<DeviceId>> callers(schedule.shape.stages);
    std::vector<bool> isKnown(schedule.shape.rows());
    for (const DeviceId d : schedule.program.ids())
        for (const Op& op : schedule.program[d]) {
            if (op.kind != OpKind::AllReduce || !exists(op, schedule.shape)
                || schedule.device(op.replica, op.stage) != d)
                continue;
            const auto row = isKnown.begin() + schedule.shape.row(op.replica, op.stage);
            if (!*row)
                callers[allReduceStage(op)].push_back(d);
            *row = true;
        }
    return callers;
}

bool hasTransfers(const Schedule& schedule)
{
    return anyOp(schedule, [](const Op& op) { return isTransfer(op.kind); });
}

} // namespace engine
