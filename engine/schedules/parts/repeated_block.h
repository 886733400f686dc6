#pragma once

#include "engine/schedule/schedule.h"

#include <array>

namespace engine::parts {

// When the ops of the first micro-batch run on one device of a V, in slots; a slot is the forward
// of one chunk. In the order of their path: F and F of the first and the second chunk, then the
// backwards of the second and the first.
using BlockSlots = std::array<int, 4>;
// The same for all devices: how a scheme of controllable memory describes itself.
using Block = std::vector<BlockSlots>; // [device]

// A split backward takes one slot for I, and its W runs later in any slot that is free; a whole one
// takes two.
enum class BlockBackward {
    Split,
    Whole,
};

// Repeats the block every six slots, once per micro-batch, and squeezes it: in the order in which
// the repeated ops are due, each takes the first slot of its device that its inputs, the one before
// of its kind, and the memory allow. No device ever holds more than the repeated block does on the
// device that holds most. Fills the programs of an empty schedule with two chunks per device in a
// V. Time: somewhat more than linear in the ops (8 times as many took 13 times as long).
void writeRepeatedBlock(Schedule& schedule, const Block& block, BlockBackward backward);

} // namespace engine::parts
