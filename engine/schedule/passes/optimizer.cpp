#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <algorithm>
#include <iterator>

namespace engine {
namespace {

Op optimizerStepOf(const Op& op)
{
    Op step = opOf(OpKind::OptimizerStep, op.stage, op.replica);
    step.peer = op.peer; // set in the all-reduce of tied embeddings
    return step;
}

// The optimizer steps in the order in which weight gradients become ready, so that the first step
// does not wait for the last all-reduce. The steps of `held` without an all-reduce come last.
std::vector<Op> stepsOf(std::span<const Op> ops, std::span<const Op> held)
{
    std::vector<Op> steps;
    for (const Op& op : ops)
        if (op.kind == OpKind::AllReduce)
            steps.push_back(optimizerStepOf(op));
    for (const Op& step : held)
        if (std::ranges::none_of(steps, [&step](const Op& other) {
                return other.replica == step.replica && other.stage == step.stage;
            }))
            steps.push_back(step);
    return steps;
}

// The optimizer steps of all stages of a device, by direction, then stage.
IdVector<DeviceId, std::vector<Op>> heldSteps(const Schedule& schedule)
{
    IdVector<DeviceId, std::vector<Op>> steps(schedule.program.size());
    for (int replica = 0; replica < schedule.shape.replicas; ++replica)
        for (const StageId stage : Ids<StageId>(schedule.shape.stages))
            if (const DeviceId device = schedule.device(replica, stage); device.isValid())
                steps[device].push_back(opOf(OpKind::OptimizerStep, stage, replica));
    return steps;
}

// Adds the OPTs to the ops of a device, for an asynchronous scheme whose gradients are summed. An
// OPT waits for an all-reduce, so it is placed as late as possible: before the first op of its
// stage that uses the new version or adds to the next gradient.
std::vector<Op> updatedAfterSums(const Schedule& schedule, std::span<const Op> ops)
{
    std::vector<Op> out;
    std::vector<int> versions(schedule.shape.rows());
    std::vector<Op> due; // OPTs to be written, at most one per (replica, stage)
    for (const Op& op : ops) {
        const auto isNeeded = [&op](const Op& step) {
            return step.replica == op.replica && step.stage == op.stage
                && (isBackward(op.kind)
                    || (op.kind == OpKind::Forward && op.version == step.version));
        };
        std::ranges::copy_if(due, std::back_inserter(out), isNeeded);
        std::erase_if(due, isNeeded);
        out.push_back(op);
        if (op.kind != OpKind::AllReduce)
            continue;
        due.push_back(optimizerStepOf(op));
        due.back().version = ++versions[schedule.shape.row(op.replica, op.stage)];
    }
    out.insert(out.end(), due.begin(), due.end());
    return out;
}

// Adds the OPTs of an asynchronous scheme: each follows the backward that completes its update, and
// the sends of that backward. Micro-batches left at the end of the window form no update.
std::vector<Op> updatedOps(const Schedule& schedule, std::span<const Op> ops)
{
    std::vector<Op> out;
    std::vector<Op> due;
    std::vector<int> backwards(schedule.shape.rows());
    const int every = updateEveryOfReplica(schedule.shape);
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const Op& op = ops[i];
        out.push_back(op);
        if ((op.kind == OpKind::Backward && op.flags != OpFlag::Half)
            || op.kind == OpKind::BackwardWeight) {
            int& done = backwards[schedule.shape.row(op.replica, op.stage)];
            if (++done % every == 0) {
                due.push_back(optimizerStepOf(op));
                due.back().version = done / every;
            }
        }
        const bool inGroup = op.flags == OpFlag::JointWithNext;
        if (inGroup || (i + 1 < ops.size() && isSend(ops[i + 1].kind)))
            continue;
        out.insert(out.end(), due.begin(), due.end());
        due.clear();
    }
    return out;
}

} // namespace

int updateEveryOfReplica(const Shape& shape)
{
    return std::max(1, shape.updateEvery / shape.replicas);
}

Schedule addOptimizer(Schedule schedule)
{
    if (holds(schedule, OpKind::OptimizerStep))
        return schedule;
    if (schedule.shape.updateEvery > 0) {
        const bool sums = holds(schedule, OpKind::AllReduce);
        for (auto& ops : schedule.program)
            ops = sums ? updatedAfterSums(schedule, ops) : updatedOps(schedule, ops);
        return schedule;
    }
    const IdVector<DeviceId, std::vector<Op>> held = heldSteps(schedule);
    for (const DeviceId d : schedule.program.ids()) {
        std::vector<Op>& ops = schedule.program[d];
        const std::vector<Op> steps = stepsOf(ops, held[d]);
        ops.reserve(ops.size() + steps.size()); // exact capacity
        ops.insert(ops.end(), steps.begin(), steps.end());
    }
    return schedule;
}

std::string_view syncName(SyncPolicy policy)
{
    switch (policy) {
    case SyncPolicy::Late:
        return "late";
    case SyncPolicy::EagerBlocking:
        return "eager-blocking";
    default:
        return "eager";
    }
}

Schedule lower(const Schedule& schedule, SyncPolicy policy)
{
    return addOptimizer(addAllReduce(addP2P(schedule), policy));
}

} // namespace engine
