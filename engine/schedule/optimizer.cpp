#include "engine/schedule/passes.h"

namespace engine {
namespace {

Op optimizerStepOf(const Op& op)
{
    Op step;
    step.kind = OpKind::OptimizerStep;
    step.replica = op.replica;
    step.stage = op.stage;
    return step;
}

// In the order in which the weight gradients become ready, so that the first step need not wait
// for the last all-reduce.
std::vector<Op> stepsOf(std::span<const Op> ops)
{
    std::vector<Op> steps;
    for (const Op& op : ops)
        if (op.kind == OpKind::AllReduce)
            steps.push_back(optimizerStepOf(op));
    return steps;
}

void appendHeld(const Schedule& schedule, DeviceId device, std::vector<Op>& steps)
{
    for (int replica = 0; replica < schedule.shape.replicas; ++replica)
        for (int s = 0; s < schedule.shape.stages; ++s)
            if (schedule.device(replica, StageId{s}) == device) {
                Op op;
                op.replica = static_cast<std::uint8_t>(replica);
                op.stage = StageId{s};
                steps.push_back(optimizerStepOf(op));
            }
}

} // namespace

Schedule addOptimizer(const Schedule& schedule)
{
    Schedule lowered = schedule;
    for (std::size_t d = 0; d < lowered.program.size(); ++d) {
        std::vector<Op>& ops = lowered.program[d];
        std::vector<Op> steps = stepsOf(ops);
        if (steps.empty())
            appendHeld(schedule, DeviceId{static_cast<std::int32_t>(d)}, steps);
        ops.insert(ops.end(), steps.begin(), steps.end());
    }
    return lowered;
}

Schedule lower(const Schedule& schedule, SyncPolicy policy)
{
    return addOptimizer(addAllReduce(addP2P(schedule), policy));
}

} // namespace engine
