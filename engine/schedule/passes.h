#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace engine {

enum class SyncPolicy : std::uint8_t {
    Eager, // all-reduce of a stage as soon as its last contribution is ready
    Late,  // after the last backward of the device
    // As BitPipe's code does it: a barrier and a blocking all-reduce. The order says where; that
    // the compute lane is held until it is through is TimingRules::blockingAllReduce.
    EagerBlocking,
};

// Passes: Schedule -> Schedule. Each asks dataflow.h who needs what.

// SEND behind the producer, RECV before the consumer, where the two are on different devices;
// `peer` is set. Consecutive stages on one device hand over locally: no ops, see localCopies().
Schedule addP2P(const Schedule& schedule);
// ALLREDUCE per (replica, stage) on every device that holds it, where replicas x data-parallel
// width > 1.
Schedule addAllReduce(const Schedule& schedule, SyncPolicy policy);
// OPT per (replica, stage), after everything else of the device.
Schedule addOptimizer(const Schedule& schedule);
// The three in order: what runs and what the simulator times.
Schedule lower(const Schedule& schedule, SyncPolicy policy = SyncPolicy::Eager);

// Handed over inside one device instead of sent, both directions of travel. [device]
std::vector<int> localCopies(const Schedule& schedule);
// SEND ops per device of a schedule with P2P. [device]
std::vector<int> messagesSent(const Schedule& schedule);

} // namespace engine
