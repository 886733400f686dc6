#include "engine/schedule/passes.h"

#include <algorithm>

namespace engine {
namespace {

// An all-reduce of one device: where it goes, and its place in the order all devices keep.
struct Placement
{
    Op op;
    std::size_t behind = 0; // goes behind this many ops of the device
    std::size_t order = 0;  // where the last of the stage's holders is ready
};

Op allReduceOf(int replica, StageId stage)
{
    Op op;
    op.kind = OpKind::AllReduce;
    op.replica = static_cast<std::uint8_t>(replica);
    op.stage = stage;
    return op;
}

bool isSend(const Op& op)
{
    return op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient;
}

// Per row (replica, stage): how many ops of its device come up to its last weight gradient, the
// sends behind that included.
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
                   && (isSend(ops[end]) || ops[end - 1].flags == OpFlag::JointWithNext))
                ++end;
            ready[ops[i].replica * stages + static_cast<std::size_t>(ops[i].stage.value)] = end;
        }
    return ready;
}

std::vector<std::vector<Placement>> place(const Schedule& schedule)
{
    const auto stages = static_cast<std::size_t>(schedule.shape.stages);
    const std::vector<std::size_t> ready = readyPositions(schedule);
    std::vector<std::vector<Placement>> placements(schedule.program.size());
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

// All-reduces meet on several devices, so every device takes them in one order (by readiness of
// the last holder, then by stage): no two devices can wait for each other.
std::vector<Op> inserted(const std::vector<Op>& ops, std::vector<Placement> placements,
                         SyncPolicy policy)
{
    std::ranges::stable_sort(placements, {}, &Placement::order);
    std::vector<Op> out;
    out.reserve(ops.size() + placements.size());
    std::size_t next = 0;
    for (const Placement& placement : placements) {
        const std::size_t behind = policy == SyncPolicy::Late ? ops.size() : placement.behind;
        for (; next < behind; ++next)
            out.push_back(ops[next]);
        out.push_back(placement.op);
    }
    out.insert(out.end(), ops.begin() + static_cast<std::ptrdiff_t>(next), ops.end());
    return out;
}

} // namespace

Schedule addAllReduce(const Schedule& schedule, SyncPolicy policy)
{
    Schedule lowered = schedule;
    if (schedule.shape.replicas * schedule.shape.dataParallel <= 1)
        return lowered;
    std::vector<std::vector<Placement>> placements = place(schedule);
    for (std::size_t d = 0; d < placements.size(); ++d)
        lowered.program[d] = inserted(schedule.program[d], std::move(placements[d]), policy);
    return lowered;
}

} // namespace engine
