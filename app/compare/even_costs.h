#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

namespace app {

// Simulates the run with equal costs: every op takes the median duration that ops of its kind,
// stage and slice have (calibratedCosts()). The result has the time unit of the run, so the two can
// be compared. Fails with Error::Code::NotFound if the run has no measured iteration yet.
engine::Result<engine::Run> withEvenCosts(const engine::Run& run);

} // namespace app
