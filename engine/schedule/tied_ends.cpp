#include "engine/schedule/tied_ends.h"

#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {
namespace {

// Behind the last op that adds to the gradient of the stage, its joint neighbours and its sends.
std::size_t readyAt(std::span<const Op> ops, StageId stage)
{
    std::size_t ready = 0;
    for (std::size_t i = 0; i < ops.size(); ++i)
        if (ops[i].stage == stage
            && (ops[i].kind == OpKind::Backward || ops[i].kind == OpKind::BackwardWeight))
            ready = i + 1;
    while (ready < ops.size()
           && (isSend(ops[ready].kind) || ops[ready - 1].flags == OpFlag::JointWithNext))
        ++ready;
    return ready;
}

void tieEnd(std::vector<Op>& ops, StageId stage, DeviceId other, SyncPolicy policy)
{
    Op reduce;
    reduce.kind = OpKind::AllReduce;
    reduce.stage = stage;
    reduce.peer = static_cast<std::uint16_t>(other.value);
    for (Op& op : ops)
        if (op.kind == OpKind::OptimizerStep && op.stage == stage)
            op.peer = reduce.peer;
    const auto firstStep = std::ranges::find(ops, OpKind::OptimizerStep, &Op::kind) - ops.begin();
    const std::ptrdiff_t at = policy == SyncPolicy::Eager
        ? static_cast<std::ptrdiff_t>(readyAt(ops, stage))
        : std::max(firstStep, static_cast<std::ptrdiff_t>(readyAt(ops, stage)));
    ops.insert(ops.begin() + at, reduce);
}

} // namespace

Schedule tieEnds(Schedule lowered, SyncPolicy policy)
{
    const StageId first{0}, last{lowered.shape.stages - 1};
    if (lowered.shape.replicas * lowered.shape.dataParallel > 1)
        return lowered;
    const DeviceId firstDevice = lowered.device(0, first), lastDevice = lowered.device(0, last);
    if (firstDevice == lastDevice)
        return lowered;
    const auto programOf = [&](DeviceId device) -> std::vector<Op>& {
        return lowered.program[static_cast<std::size_t>(device.value)];
    };
    tieEnd(programOf(firstDevice), first, lastDevice, policy);
    tieEnd(programOf(lastDevice), last, firstDevice, policy);
    return lowered;
}

} // namespace engine
