#pragma once

#include "engine/timeline/timeline.h"

namespace engine {

// The last iteration of `timeline` is a stream of Shape::windows windows (schedule.h): replaces it
// by one iteration per window. A window begins when the last stage starts the forward of its first
// micro-batch, and a span belongs to the window in which it begins. In the steady state all windows
// therefore have the same number of ops of every kind on every device. The `measured` windows
// before the last windowsToDrain() windows are Measured, all others Warmup. Does nothing if there
// is one window.
void divideIntoWindows(const Schedule& lowered, int measured, Timeline& timeline);

} // namespace engine
