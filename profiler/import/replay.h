#pragma once

#include "engine/timeline/run.h"

#include <optional>

namespace profiler {

// Simulates the schedule of an imported run with the medians of its ops and messages over the
// iterations. Returns the signed relative error of the simulated duration against the median of the
// measured ones; nullopt if the schedule is not complete (engine/schedule/check/validate.h).
std::optional<double> replayError(const engine::Run& run);

} // namespace profiler
