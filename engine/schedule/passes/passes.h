#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string_view>

namespace engine {

enum class SyncPolicy : std::uint8_t {
    Eager, // all-reduce of a stage as soon as its last contribution is ready
    Late,  // after the last backward of the device
    // As BitPipe's code does it: a barrier and a blocking all-reduce. The order says where; that
    // the compute lane is held until it is through is TimingRules::blockingAllReduce.
    EagerBlocking,
};
std::string_view syncName(SyncPolicy policy); // "eager", "late", "eager-blocking": --sync

// Which stashes travel. Both keep the same bound; steady evicts every new one as long as there is
// room on the partner, lazy only those that would not fit two ops later.
enum class EvictPolicy : std::uint8_t { Lazy, Steady };

// Passes: Schedule -> Schedule. Each asks dataflow.h who needs what.

// BPipe (Kim et al., ICML 2023): EVICT behind a forward and LOAD one op before the backward, so
// that devices d and D-1-d, of which one would hold up to n stashes and the other n', hold at most
// ceil((n+n'+1)/2) each, the one on its way counted on both; of 1F1B ceil((D+2)/2). The order of
// the compute ops stays. What needs no help comes back as it is, and so does what cannot be helped.
// Fails for schedules with transfers, joint ops or halves.
Result<Schedule> balanceStash(const Schedule& schedule, EvictPolicy policy);
// The same, failing where nothing is evicted.
Result<Schedule> addEvictLoad(const Schedule& schedule, EvictPolicy policy);
// RECOMPUTE before each B or I, of its stash; a joint group has those of all its ops before it.
// Behind the LOAD where the stash is evicted. What of the forward is repeated (all of it, or the
// attention) is for the costs to say.
Schedule addRecompute(const Schedule& schedule);

// The three passes that lower a schedule leave one that has their ops already as it is: a schedule
// file may hold them, in an order of its own.

// SEND behind the producer, RECV before the consumer, where the two are on different devices;
// `peer` is set. Consecutive stages on one device hand over locally: no ops, see localCopies().
Schedule addP2P(const Schedule& schedule);
// ALLREDUCE per (replica, stage) on every device that holds it, where replicas x data-parallel
// width > 1; none in an asynchronous schedule, for which no scheme defines one.
Schedule addAllReduce(Schedule schedule, SyncPolicy policy);
// OPT per (replica, stage), after everything else of the device; of an asynchronous scheme behind
// every backward that completes an update.
Schedule addOptimizer(Schedule schedule);
// The three in order: what runs and what the simulator times.
Schedule lower(const Schedule& schedule, SyncPolicy policy = SyncPolicy::Eager);

// Handed over inside one device instead of sent, both directions of travel. [device]
std::vector<int> localCopies(const Schedule& schedule);
// SEND ops per device of a schedule with P2P. [device]
std::vector<int> messagesSent(const Schedule& schedule);

} // namespace engine
