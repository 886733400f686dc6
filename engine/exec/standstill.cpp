#include "engine/exec/standstill.h"

#include "engine/schedule/notation.h"

#include <fmt/format.h>

namespace engine {
namespace {

std::string describeFence(const ExecutionPlan& plan, Fence fence)
{
    switch (fence.kind) {
    case Fence::Kind::Credit:
        return fmt::format("room on device {}", plan.messages[fence.id].to.value);
    case Fence::Kind::Arrived:
        return fmt::format("the {} from device {}", describe(plan.messages[fence.id].value),
                           plan.messages[fence.id].from.value);
    case Fence::Kind::Copied:
        return fmt::format("a stash that moves {} device {}",
                           plan.copies[fence.id].evicts ? "to" : "from",
                           plan.copies[fence.id].peer.value);
    default:
        return fmt::format("the all-reduce of stage {}", plan.collectives[fence.id].stage.value);
    }
}

// What the op at this position waits for first; "" when nothing.
std::string awaited(Pipeline& pipeline, OpRef ref)
{
    const OpPlan& own = pipeline.plan().devices[indexOf(ref.device)].ops[ref.position];
    const Op& op = pipeline.at(ref);
    if (op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient)
        return describeFence(pipeline.plan(), {Fence::Kind::Credit, own.transfer});
    for (const Fence fence : own.waits)
        if (!pipeline.transport().hasPassed(fence))
            return describeFence(pipeline.plan(), fence);
    return {};
}

} // namespace

std::string describeStandstill(Pipeline& pipeline, std::span<const std::uint32_t> positions)
{
    std::string text = "nothing moves any more";
    for (std::size_t d = 0; d < positions.size(); ++d) {
        const DeviceId device{static_cast<std::int32_t>(d)};
        const std::span<const Op> program = pipeline.lowered().on(device);
        if (positions[d] >= program.size())
            continue;
        const OpRef ref{device, positions[d], 0};
        text += fmt::format("; device {} at index {}, {}, waits for {}", d, positions[d],
                            toString(program[positions[d]]), awaited(pipeline, ref));
    }
    return text;
}

} // namespace engine
