#include "engine/pipeline/arena_use.h"

namespace engine {

IdVector<DeviceId, ArenaUse> arenaUse(Pipeline& pipeline, ArenasAre arenas)
{
    IdVector<DeviceId, ArenaUse> all;
    for (const DeviceId device : pipeline.plan().devices.ids()) {
        const DevicePlan& plan = pipeline.plan().devices[device];
        ArenaUse& use = all.emplace_back(ArenaUse{plan.live(), plan.arena, std::nullopt});
        if (arenas == ArenasAre::Used)
            use.touched = pipeline.device(device).arena().touched();
    }
    return all;
}

} // namespace engine
