#pragma once

#include "engine/schedule/schedule.h"

namespace engine::parts {

// BitPipe's basic unit of D micro-batches and its direct concatenation. Fills the programs of an
// empty schedule of `units` x D micro-batches in two V-shaped directions; D even, S = vD stages, v
// even. The first half of the micro-batches of each basic unit goes down, the second half up.
//
// Entry j is the j-th micro-batch of a direction within a basic unit. Its forward at stage s is due
// in tick s + 2j. Its backward at stage s, which takes two ticks, is due 2(S-1-s) + 4j ticks after
// the end of the first forward at the last stage. Forwards of a device never coincide, nor do
// backwards: within a window of D ticks, chunk c of one direction uses only even or only odd ticks,
// and the other direction uses the other ticks.
//
// A device runs forwards and backwards in due order, which for v = 2 is the order of the authors'
// code. With R = D/2 - min(d, D-1-d), m = vD - R and X^k for k repetitions of X, that order is
//   F^m (F,B)^R B^m,   and for K basic units
//   F^m [(F,B)^R B^(m-R+1) (F,B)^(R-1) F^(m-R+1)]^(K-1) (F,B)^R B^m.
void writeVUnits(Schedule& schedule, int units);

// The memory limit, in chunks, of our unpublished variants of BitPipe (see the details in
// bitpipe.cpp): the chunks of 1.5 D + 1 - 2/v micro-batches.
int mostEarlyStash(const Shape& shape);

// Fills the programs of an empty schedule with BitPipe's basic units, like writeVUnits(), but in
// our own "early" concatenation. An op is due when it would start if its unit ran alone. Units
// start 2vD ticks apart. In this time a device runs the forwards and half of the backwards of a
// unit, so the forwards of the next unit fill the bubble between the two units.
void writeEarlyUnits(Schedule& schedule);

} // namespace engine::parts
