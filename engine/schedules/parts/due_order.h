#pragma once

#include "engine/schedule/schedule.h"

#include <functional>

namespace engine::parts {

// Selects the next op of a device by due time. A stage's forward takes one tick, its backward two.
struct DueOrder
{
    std::vector<std::uint8_t> replicaOf; // [micro-batch] the direction of the micro-batch
    // The due time of a stage's forward or backward. Only the order of the times matters.
    std::function<std::int64_t(bool forward, int stage, int microBatch)> due;
    // The memory limit of a device in chunks. A new micro-batch starts only if the chunks that are
    // held and those that micro-batches in progress still need do not exceed it together.
    int mostStash = 0;
    // The largest number of micro-batches of one direction that may have run their first but not
    // their last op; 0: unlimited.
    int mostUnderWay = 0;
};

// Fills the programs of an empty schedule by simulating it. A free device executes the ready op
// that is due first; ties go to a backward, then to the lowest replica, stage and micro-batch. If
// mostStash blocks all devices, the limit is raised by one chunk. The result is always complete,
// valid and deterministic. Time: ops x log(ops).
void writeByDue(Schedule& schedule, const DueOrder& order);

} // namespace engine::parts
