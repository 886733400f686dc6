#pragma once

#include "engine/schedules/scheme.h"

#include <array>
#include <functional>

namespace engine::parts {

// The time slots of the first micro-batch's ops on one device of a V placement. A slot is the
// duration of one chunk's forward. In order: F of the first and of the second chunk, then B of the
// second and of the first.
using BlockSlots = std::array<int, 4>;
// A split backward takes one slot for I, and W takes any later free slot. A whole backward takes
// two slots.
enum class BlockBackward {
    Split,
    Whole,
};

// A schedule with controllable memory (Qi et al., NeurIPS 2024), with two chunks per device in a V.
// Repeats the block of one micro-batch, slotsOf(device), for each micro-batch, six slots apart, and
// compacts the result: in slot order, each op moves to the first slot of its device that its
// inputs, the previous op of its kind and the memory limit allow. The limit is what the fullest
// device holds before the compaction. Time: slightly more than linear in the ops (8 times as many
// took 13 times as long).
Schedule repeatedBlock(const ScheduleRequest& request, BlockBackward backward,
                       const std::function<BlockSlots(int device)>& slotsOf);

} // namespace engine::parts
