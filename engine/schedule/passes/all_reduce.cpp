#include "engine/schedule/passes/blocking_all_reduce.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {
namespace {

// [Shape::row()][update]: the ops that precede the all-reduce on its device. An all-reduce follows
// the last weight gradient of the update and the sends after it. If updateEvery is 0, there is one
// update. Otherwise micro-batches left at the end form no update.
std::vector<std::vector<std::size_t>> readyPositions(const Schedule& schedule)
{
    const int every = schedule.shape.updateEvery > 0 ? updateEveryOfReplica(schedule.shape) : 0;
    std::vector<std::vector<std::size_t>> ready(schedule.shape.rows());
    if (every == 0)
        std::ranges::fill(ready, std::vector<std::size_t>{0});
    std::vector<int> backwards(schedule.shape.rows());
    for (const auto& ops : schedule.program)
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (!finishesBackward(ops[i].kind))
                continue;
            const std::size_t end = afterSends(ops, i + 1);
            const std::uint32_t row = schedule.shape.row(ops[i].replica, ops[i].stage);
            if (every == 0)
                ready[row] = {end};
            else if (++backwards[row] % every == 0)
                ready[row].push_back(end);
        }
    return ready;
}

// All devices start the all-reduces in the same order; otherwise two devices could wait for each
// other. All-reduces are sorted by the position at which the last device of the stage is ready,
// then by stage.
AllReducePlaces placeEager(const Schedule& schedule)
{
    const Shape& shape = schedule.shape;
    const auto ready = readyPositions(schedule);
    AllReducePlaces placements(schedule.program.size());
    for (const StageId stage : Ids<StageId>(shape.stages)) {
        const auto readyOf = [&](int replica) -> const std::vector<std::size_t>& {
            return ready[shape.row(replica, stage)];
        };
        std::size_t updates = readyOf(0).size(); // updates that all directions complete
        for (int replica = 1; replica < shape.replicas; ++replica)
            updates = std::min(updates, readyOf(replica).size());
        for (std::size_t update = 0; update < updates; ++update) {
            std::size_t order = 0;
            for (int replica = 0; replica < shape.replicas; ++replica)
                order = std::max(order, readyOf(replica)[update]);
            for (int replica = 0; replica < shape.replicas; ++replica)
                placements[schedule.device(replica, stage)].push_back(
                    {opOf(OpKind::AllReduce, stage, replica), readyOf(replica)[update], order});
        }
    }
    return placements;
}

AllReducePlaces place(const Schedule& schedule, SyncPolicy policy)
{
    if (schedule.shape.updateEvery > 0)
        return placeEager(schedule);
    if (policy == SyncPolicy::EagerBlocking)
        return placeBlocking(schedule);
    auto places = placeEager(schedule);
    if (policy == SyncPolicy::Late)
        for (const DeviceId d : places.ids())
            for (AllReducePlace& late : places[d])
                late.behind = std::max(late.behind, firstStep(schedule.program[d]));
    return places;
}

bool hasOnlyTiedAllReduce(const Schedule& schedule)
{
    return hasTiedEmbeddings(schedule) && !anyOp(schedule, [](const Op& op) {
               return op.kind == OpKind::AllReduce && !tiesEmbeddings(op);
           });
}

} // namespace

Schedule addAllReduce(Schedule schedule, SyncPolicy policy)
{
    if (schedule.shape.replicas * schedule.shape.dataParallel <= 1)
        return schedule;
    if (hasOnlyTiedAllReduce(schedule)) // these do not sum over the data-parallel copies
        schedule = withoutTiedEmbeddings(std::move(schedule));
    if (holds(schedule, OpKind::AllReduce))
        return schedule;
    AllReducePlaces placements = place(schedule, policy);
    for (const DeviceId d : placements.ids())
        schedule.program[d] = withAllReduces(schedule.program[d], std::move(placements[d]));
    return schedule;
}

} // namespace engine
