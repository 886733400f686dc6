#pragma once

#include "engine/schedule/schedule.h"

namespace engine::parts {

// Returns the memory limit, in chunks, of our unpublished variants of BitPipe (see the details in
// bitpipe.cpp). It equals the chunks of 1.5 D + 1 - 2/v micro-batches.
int mostEarlyStash(const Shape& shape);

// Fills the programs of an empty schedule with BitPipe's basic units, like writeVUnits(), but in
// our own "early" concatenation. An op is due when it would start if its unit ran alone. Units
// start 2vD ticks apart. In this time a device runs the forwards and half of the backwards of a
// unit, so the forwards of the next unit fill the bubble between the two units.
void writeEarlyUnits(Schedule& schedule);

} // namespace engine::parts
