#pragma once

#include "engine/pipeline/pipeline.h"
#include "engine/timeline/run.h"

namespace engine {

// Whether something has run in the arenas, so that one can say what was touched.
enum class ArenasAre : std::uint8_t { LaidOut, Used };

// Of every device, by number. Used: while no device works; it reads a byte of every line.
std::vector<ArenaUse> arenaUse(Pipeline& pipeline, ArenasAre arenas);

} // namespace engine
