#pragma once

#include "engine/schedule/schedule.h"

#include <functional>

namespace engine::parts {

// Selects the next op of a device. Times are ticks: a stage's forward takes one, a backward two.
struct DueOrder
{
    std::vector<std::uint8_t> replicaOf; // [micro-batch] its direction
    // The due time of the forward (else the backward) of a stage; only the order of the numbers
    // matters.
    std::function<std::int64_t(bool forward, int stage, int microBatch)> due;
    // A device starts a micro-batch only while all chunks of its unfinished micro-batches fit in
    // this many chunks.
    int mostStash = 0;
    int mostUnderWay = 0; // of one direction, from their first op to their last; 0: unlimited
};

// Fills the programs of an empty schedule by running it: a free device executes the ready op
// that is due first; ties go to a backward, then to the lower replica, stage, micro-batch. If
// all devices are blocked by mostStash, it grows by one. The result is always complete, valid
// and deterministic. Time: ops x log(ops).
void writeByDue(Schedule& schedule, const DueOrder& order);

} // namespace engine::parts
