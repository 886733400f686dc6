#pragma once

#include "engine/schedule/schedule.h"

#include <array>

namespace engine::parts {

// The time slots of the first micro-batch's ops on one device of a V placement. A slot is the
// duration of one chunk's forward. In order: F of the first and of the second chunk, then B of the
// second and of the first.
using BlockSlots = std::array<int, 4>;
// The slots of all devices, which define a schedule with controllable memory (Qi et al., NeurIPS
// 2024).
using Block = std::vector<BlockSlots>; // [device]

// A split backward takes one slot for I, and W takes any later free slot. A whole backward takes
// two slots.
enum class BlockBackward {
    Split,
    Whole,
};

// Repeats the block for each micro-batch, six slots apart, and compacts the result: in slot order,
// each op moves to the first slot of its device that its inputs, the previous op of its kind and
// the memory limit allow. The limit is what the fullest device holds before the compaction. Fills
// an empty schedule with two chunks per device in a V. Time: slightly more than linear in the ops
// (8 times as many took 13 times as long).
void writeRepeatedBlock(Schedule& schedule, const Block& block, BlockBackward backward);

} // namespace engine::parts
