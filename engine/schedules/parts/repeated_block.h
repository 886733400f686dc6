#pragma once

#include "engine/schedule/schedule.h"

#include <array>

namespace engine::parts {

// The slots of the first micro-batch's ops on one device of a V; a slot is the forward of one
// chunk. In the order of the path: F of the first and of the second chunk, B of the second and
// of the first.
using BlockSlots = std::array<int, 4>;
// For all devices; defines a scheme of controllable memory (Qi et al., NeurIPS 2024).
using Block = std::vector<BlockSlots>; // [device]

// A split backward takes one slot for I, and its W any later free slot; a whole backward takes
// two.
enum class BlockBackward {
    Split,
    Whole,
};

// Repeats the block every six slots, once per micro-batch, and compacts it: in the order of the
// repeated block, each op moves to the first slot of its device allowed by its inputs, the
// previous op of its kind, and memory. No device holds more than the repeated block does on its
// fullest device. Fills an empty schedule with two chunks per device in a V. Time: slightly more
// than linear in the ops (8 times as many took 13 times as long).
void writeRepeatedBlock(Schedule& schedule, const Block& block, BlockBackward backward);

} // namespace engine::parts
