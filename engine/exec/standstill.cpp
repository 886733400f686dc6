#include "engine/exec/standstill.h"

#include "engine/schedule/notation.h"

#include <fmt/format.h>

namespace engine {
namespace {

std::string describeFence(const ExecutionPlan& plan, Fence fence)
{
    switch (fence.kind) {
    case Fence::Kind::Credit:
        return fmt::format("a free slot on device {}", plan.messages[fence.id].to.value);
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

// Returns what the op at this position waits for first; "" if it does not wait.
std::string awaited(Pipeline& pipeline, OpRef ref)
{
    const OpPlan& own = pipeline.plan().devices[ref.device].ops[ref.position];
    const Op& op = pipeline.at(ref);
    if (op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient)
        return describeFence(pipeline.plan(), {Fence::Kind::Credit, own.transfer});
    for (const Fence fence : own.waits)
        if (!pipeline.hasPassed(fence, ref.copy))
            return describeFence(pipeline.plan(), fence);
    return {};
}

} // namespace

std::string describeStandstill(Pipeline& pipeline, std::span<const std::uint32_t> positions)
{
    std::string text = "no device makes progress";
    const int devices = pipeline.lowered().shape.devices;
    for (int i = 0; i < std::ssize(positions); ++i) {
        const std::uint32_t position = positions[i];
        const OpRef ref{DeviceId{i % devices}, position, 0, i / devices};
        const std::span<const Op> program = pipeline.lowered().on(ref.device);
        if (position >= program.size())
            continue;
        const std::string what = awaited(pipeline, ref);
        text += fmt::format("; {} at index {}, {}, {}", deviceText(pipeline, ref), position,
                            toString(program[position]),
                            what.empty() ? "has not started this op" : "waits for " + what);
    }
    return text;
}

} // namespace engine
