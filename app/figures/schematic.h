#pragma once

#include "engine/base/result.h"
#include "engine/experiment/experiment.h"
#include "engine/timeline/run.h"

namespace app {

// Returns the schedule of a run in abstract units with F = 1, B = 2 and all other costs 0, as
// papers draw it. The result depends only on the schedule and not on measured times.
engine::Result<engine::Run> schematic(const engine::Run& run);
// Like the function above, but builds the schedule of an experiment that was not run.
engine::Result<engine::Run> schematic(const engine::Experiment& experiment);

} // namespace app
