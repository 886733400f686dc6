#pragma once

#include "engine/schedule/schedule.h"

namespace engine::parts {

// Memory limit of our own orders of BitPipe, in chunks: 1.5 D micro-batches, and one more chunk
// that starts while another ends.
int mostEarlyStash(const Shape& shape);

// Our own "early" concatenation of BitPipe's basic units. Fills the programs of an empty schedule
// as writeVUnits() does. An op is due when it would start in a unit that runs alone. Units are 2vD
// ticks apart, the time of their forwards and half their backwards, so their forwards fill the
// bubble between units.
void writeEarlyUnits(Schedule& schedule);

} // namespace engine::parts
