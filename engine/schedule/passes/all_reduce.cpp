#include "engine/schedule/passes/blocking_all_reduce.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/passes/tied_embeddings.h"
#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {
namespace {

Op allReduceOf(int replica, StageId stage)
{
    Op op;
    op.kind = OpKind::AllReduce;
    op.replica = static_cast<std::uint8_t>(replica);
    op.stage = stage;
    return op;
}

// [row (replica, stage)] how many ops of its device come before the all-reduce: those up to the
// last weight gradient of the row, and the sends that follow it.
std::vector<std::size_t> readyPositions(const Schedule& schedule)
{
    const auto stages = static_cast<std::size_t>(schedule.shape.stages);
    std::vector<std::size_t> ready(static_cast<std::size_t>(schedule.shape.replicas) * stages);
    for (const auto& ops : schedule.program)
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (ops[i].kind != OpKind::Backward && ops[i].kind != OpKind::BackwardWeight)
                continue;
            std::size_t end = i + 1;
            while (end < ops.size()
                   && (isSend(ops[end].kind) || ops[end - 1].flags == OpFlag::JointWithNext))
                ++end;
            ready[ops[i].replica * stages + static_cast<std::size_t>(ops[i].stage.value)] = end;
        }
    return ready;
}

// All devices start all-reduces in the same order (by the time at which the last holder is ready,
// then by stage), so that no two devices wait for each other.
std::vector<std::vector<AllReducePlace>> placeEager(const Schedule& schedule)
{
    const auto stages = static_cast<std::size_t>(schedule.shape.stages);
    const std::vector<std::size_t> ready = readyPositions(schedule);
    std::vector<std::vector<AllReducePlace>> placements(schedule.program.size());
    for (std::size_t s = 0; s < stages; ++s) {
        const StageId stage{static_cast<std::int32_t>(s)};
        std::size_t order = 0;
        for (std::size_t row = s; row < ready.size(); row += stages)
            order = std::max(order, ready[row]);
        for (int replica = 0; replica < schedule.shape.replicas; ++replica) {
            const DeviceId device = schedule.device(replica, stage);
            placements[static_cast<std::size_t>(device.value)].push_back(
                {allReduceOf(replica, stage), ready[static_cast<std::size_t>(replica) * stages + s],
                 order});
        }
    }
    return placements;
}

std::vector<std::vector<AllReducePlace>> place(const Schedule& schedule, SyncPolicy policy)
{
    if (policy == SyncPolicy::EagerBlocking)
        return placeBlocking(schedule);
    auto places = placeEager(schedule);
    if (policy == SyncPolicy::Late)
        for (std::size_t d = 0; d < places.size(); ++d)
            for (AllReducePlace& late : places[d])
                late.behind = schedule.program[d].size();
    return places;
}

bool hasOnlyTiedAllReduce(const Schedule& schedule)
{
    return hasTiedEmbeddings(schedule)
        && std::ranges::all_of(schedule.program, [](const auto& ops) {
               return std::ranges::all_of(ops, [](const Op& op) {
                   return op.kind != OpKind::AllReduce || tiesEmbeddings(op);
               });
           });
}

} // namespace

Schedule addAllReduce(Schedule schedule, SyncPolicy policy)
{
    if (schedule.shape.replicas * schedule.shape.dataParallel <= 1
        || schedule.shape.updateEvery > 0)
        return schedule;
    if (hasOnlyTiedAllReduce(schedule)) // they sum over one copy only
        schedule = withoutTiedEmbeddings(std::move(schedule));
    if (holds(schedule, OpKind::AllReduce))
        return schedule;
    std::vector<std::vector<AllReducePlace>> placements = place(schedule, policy);
    for (std::size_t d = 0; d < placements.size(); ++d)
        schedule.program[d] = withAllReduces(schedule.program[d], std::move(placements[d]));
    return schedule;
}

} // namespace engine
