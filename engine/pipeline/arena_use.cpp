#include "engine/pipeline/arena_use.h"

namespace engine {

std::vector<ArenaUse> arenaUse(Pipeline& pipeline, ArenasAre arenas)
{
    std::vector<ArenaUse> all;
    for (const DevicePlan& plan : pipeline.plan().devices) {
        ArenaUse& use = all.emplace_back(ArenaUse{plan.live(), plan.arena, std::nullopt});
        const DeviceId device{static_cast<std::int32_t>(all.size()) - 1};
        if (arenas == ArenasAre::Used)
            use.touched = pipeline.device(device).arena().touched();
    }
    return all;
}

} // namespace engine
