#pragma once

#include "engine/timeline/timeline.h"

#include <cstdint>
#include <vector>

namespace engine {

// Replaces the last iteration of `timeline`, a stream of Shape::windows windows (schedule.h), by
// one iteration per window. Does nothing if there is only one window. A window begins when the last
// stage starts the forward of the window's first micro-batch. A span belongs to the window in which
// the span begins. In the steady state, all windows therefore have the same number of ops of every
// kind on every device. The last windowsToDrain() windows become Warmup, the `measured` windows
// before them Measured, and all earlier windows Warmup.
void divideIntoWindows(const Schedule& lowered, int measured, Timeline& timeline);

// Returns the iteration of each op (OpIndex) of a stream that was divided into windows.
std::vector<std::uint32_t> iterationsOfOps(const Schedule& lowered, const Timeline& timeline);

} // namespace engine
