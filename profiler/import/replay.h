#pragma once

#include "engine/timeline/run.h"

#include <optional>

namespace profiler {

// Simulates the schedule of an imported run with the median durations of its ops and messages.
// Returns the relative error of the simulated iteration, positive if it is longer than the measured
// median; nullopt if the schedule is not complete (engine/schedule/check/validate.h).
std::optional<double> replayError(const engine::Run& run);

} // namespace profiler
