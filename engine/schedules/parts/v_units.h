#pragma once

#include "engine/schedule/schedule.h"

namespace engine::parts {

// BitPipe's basic unit of D micro-batches and its direct concatenation. Fills the programs of an
// empty schedule of `units` x D micro-batches in two V-shaped directions; D even, S = vD stages,
// v even. The first half of each unit goes down, the second up.
//
// Entry j of a direction is due with its forward at stage s in tick s + 2j, and with its backward
//(two ticks) 2(S-1-s) + 4j after the end of the first forward at the last stage. No two forwards
// and no two backwards coincide on a device: chunk c of a direction uses the ticks of one parity
// in a window of D, the other direction those of the other parity. A device runs forwards and
// backwards in due order, which for v = 2 is the order of the authors' code:
// F^W (F,B)^R B^W with R = D/2 - min(d, D-1-d) and W = vD - R, and for K units
// F^W [(F,B)^R B^(W-R+1) (F,B)^(R-1) F^(W-R+1)]^(K-1) (F,B)^R B^W.
void writeVUnits(Schedule& schedule, int units);

} // namespace engine::parts
