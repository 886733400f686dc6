#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

namespace app {

// Simulates the run with equal costs: every op takes the median duration that ops of its kind and
// stage have in the reported iteration. The result has the time unit of the run, so the two can be
// compared. Fails with Error::Code::NotFound if the run has no iteration yet.
engine::Result<engine::Run> withEvenCosts(const engine::Run& run);

} // namespace app
