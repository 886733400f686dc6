#pragma once

#include "engine/schedule/schedule.h"

namespace engine::parts {

// Returns the memory limit of our own orders of BitPipe in chunks: the chunks of 1.5 D + 1 - 2/v
// micro-batches.
int mostEarlyStash(const Shape& shape);

// Fills the programs of an empty schedule with BitPipe's basic units, like writeVUnits(), but in
// our own "early" concatenation. An op is due at the time at which it would start if its unit ran
// alone. A unit is due 2vD ticks after the previous one. In this time a device runs the forwards
// and half of the backwards of a unit, so the forwards of the next unit fill the bubble between the
// units.
void writeEarlyUnits(Schedule& schedule);

} // namespace engine::parts
