#include "engine/plan/version_plan.h"

#include "engine/schedule/check/weight_versions.h"

namespace engine {

VersionPlan planVersions(const StashPlanInput& input, DeviceId device)
{
    static_assert(kNoIndex == KeptVersions::kNone);
    KeptVersions kept = keptVersions(input.lowered.on(device));
    VersionPlan plan;
    plan.of = std::move(kept.of);
    for (const KeptVersions::Copy& copy : kept.copies) {
        PlannedBuffer& buffer = plan.buffers.emplace_back();
        buffer.category = MemoryCategory::Weights;
        buffer.life.begin = copy.update;
        buffer.life.end = input.order.groupOf({device, copy.lastUse}).last;
        const StageSizes sizes = input.model.sizes(copy.stage);
        buffer.life.bytes = sizes.bytes(sizes.parameters);
    }
    return plan;
}

} // namespace engine
