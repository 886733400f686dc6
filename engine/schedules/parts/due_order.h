#pragma once

#include "engine/schedule/schedule.h"

#include <functional>

namespace engine::parts {

// What a device takes up next. Times are ticks: the forward of a stage takes one, a backward two.
struct DueOrder
{
    std::vector<std::uint8_t> replicaOf; // [micro-batch] the direction it travels in
    // When the forward (else the backward) of a stage should begin; any 64-bit number orders.
    std::function<std::int64_t(bool forward, int stage, int microBatch)> due;
    // A device begins with a micro-batch only while its unfinished ones leave room for all their
    // chunks in this many chunks.
    int mostStash = 0;
    int mostUnderWay
        = 0; // micro-batches of one direction from their first op to their last; 0: all
};

// Fills the programs of an empty schedule: whenever a device is free it takes up what is ready and
// due first; of two that are due together a backward, then the lower replica, stage, micro-batch.
// Where every device waits for room, the room grows: always a complete and valid order, since it is
// one that ran; the same for the same arguments. Time: ops x log(ops).
void writeByDue(Schedule& schedule, const DueOrder& order);

} // namespace engine::parts
