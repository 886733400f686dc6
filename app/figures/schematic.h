#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

namespace app {

// The run's schedule in abstract units, F = 1 and B = 2, everything else free: what papers draw.
// The same schedule gives the same figure, whatever was measured.
engine::Result<engine::Run> schematic(const engine::Run& run);

} // namespace app
