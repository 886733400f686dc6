#pragma once

#include "engine/pipeline/pipeline.h"
#include "engine/timeline/run.h"

namespace engine {

// LaidOut: no op has run yet. Used: ops have run, so touched bytes can be counted.
enum class ArenasAre : std::uint8_t { LaidOut, Used };

// Returns the use of each device's arena. If `arenas` is Used, no op may be running, because the
// whole arena is read.
IdVector<DeviceId, ArenaUse> arenaUse(Pipeline& pipeline, ArenasAre arenas);

} // namespace engine
