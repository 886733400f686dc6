#pragma once

#include "engine/schedule/schedule.h"

#include <functional>

namespace engine::parts {

// Selects the next op of a device. Times are ticks: a stage's forward takes one, a backward two.
struct DueOrder
{
    std::vector<std::uint8_t> replicaOf; // [micro-batch] the direction of the micro-batch
    // Returns the due time of the forward or, if `forward` is false, the backward of a stage. Only
    // the order of the times matters.
    std::function<std::int64_t(bool forward, int stage, int microBatch)> due;
    // A device starts a micro-batch only if its unfinished micro-batches then have at most this
    // many chunks.
    int mostStash = 0;
    // The largest number of micro-batches of one direction that may have run their first but not
    // their last op; 0: unlimited.
    int mostUnderWay = 0;
};

// Fills the programs of an empty schedule by simulating it: a free device executes the ready op
// that is due first; ties go to a backward, then to the lower replica, stage, micro-batch. If all
// devices are blocked by mostStash, mostStash grows by one. The result is always complete, valid
// and deterministic. Time: ops x log(ops).
void writeByDue(Schedule& schedule, const DueOrder& order);

} // namespace engine::parts
