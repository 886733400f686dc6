#pragma once

#include "engine/pipeline/pipeline.h"
#include "engine/timeline/run.h"

namespace engine {

// Whether ops have run in the arenas, so that touched bytes are known.
enum class ArenasAre : std::uint8_t { LaidOut, Used };

// Of every device, by index. With Used no device may be working, because it reads every line.
IdVector<DeviceId, ArenaUse> arenaUse(Pipeline& pipeline, ArenasAre arenas);

} // namespace engine
