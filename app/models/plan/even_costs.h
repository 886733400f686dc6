#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

namespace app {

// The run as its schedule alone would have it: every op of a kind and stage takes the median of
// what those ops took in the run's headline iteration, and the simulator places them. In the
// run's own unit, so the two can stand side by side; what differs is jitter, not the order of ops.
// NotFound when the run has no iteration yet.
engine::Result<engine::Run> withEvenCosts(const engine::Run& run);

} // namespace app
