#pragma once

#include "engine/base/result.h"
#include "engine/experiment/experiment.h"
#include "engine/timeline/run.h"

namespace app {

// The run's schedule in abstract units with F = 1, B = 2 and all other costs 0, as papers draw it.
// Depends only on the schedule, not on measured times.
engine::Result<engine::Run> schematic(const engine::Run& run);
// The same for an experiment that was not run; builds its schedule.
engine::Result<engine::Run> schematic(const engine::Experiment& experiment);

} // namespace app
