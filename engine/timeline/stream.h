#pragma once

#include "engine/timeline/timeline.h"

namespace engine {

// The last iteration of `timeline` is a stream of Shape::windows windows (schedule.h): replaces it
// by one iteration per window. A window begins when the last stage starts the forward of its first
// micro-batch, and a span belongs to the window in which it begins. In the steady state a window
// thus has as many ops of every kind on every device. The last windowsToDrain()
// windows, and those before the `measured` windows in front of it are Warmup. Does nothing if there
// is one window.
void divideIntoWindows(const Schedule& lowered, int measured, Timeline& timeline);

} // namespace engine
