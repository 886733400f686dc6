#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string_view>

namespace engine {

enum class SyncPolicy : std::uint8_t {
    Eager, // all-reduce of a stage directly after its last gradient
    Late,  // after the last backward of the device
    // A barrier and a blocking all-reduce, as in BitPipe's code. The pass only orders the ops;
    // TimingRules::blockingAllReduce makes compute wait.
    EagerBlocking,
};
std::string_view syncName(SyncPolicy policy); // "eager", "late", "eager-blocking", as for --sync

// Which stashes are evicted. Both policies keep the same bound: Steady evicts every new stash
// while the partner has space, Lazy only those that would exceed the bound two ops later.
enum class EvictPolicy : std::uint8_t { Lazy, Steady };

// BPipe (Kim et al., ICML 2023): adds EVICT after a forward and LOAD one op before the backward.
// Devices d and D-1-d with up to n and n' stashes then hold at most ceil((n+n'+1)/2) each,
// counting a moving stash on both; for 1F1B ceil((D+2)/2). The order of compute ops is
// unchanged. A schedule that needs no evicts, or that they cannot improve, is returned
// unchanged. Fails for schedules with transfers, joint ops or halves.
Result<Schedule> balanceStash(const Schedule& schedule, EvictPolicy policy);
// As balanceStash(), but fails if nothing can be evicted.
Result<Schedule> addEvictLoad(const Schedule& schedule, EvictPolicy policy);
// Adds a RECOMPUTE before each B or I (before a joint group, for all its ops; after the LOAD if
// the stash is evicted). The costs decide how much of the forward is repeated.
Schedule addRecompute(const Schedule& schedule);

// The next three passes leave a schedule unchanged if it has such ops already, because a schedule
// file may order them itself.

// Adds SEND after the producer and RECV before the consumer of a value if they are on different
// devices, and sets `peer`. Consecutive stages on one device pass values without an op
// (localCopies()).
Schedule addP2P(const Schedule& schedule);
// Adds an ALLREDUCE per (replica, stage) on every device that holds it, if replicas x data-parallel
// width > 1. Asynchronous schedules are unchanged, because no scheme defines all-reduces for them.
Schedule addAllReduce(Schedule schedule, SyncPolicy policy);
// Adds an OPT per (replica, stage) after all other ops of the device; in an asynchronous scheme
// after every backward that completes an update.
Schedule addOptimizer(Schedule schedule);
// Applies these three passes. Executors and simulator require lowered schedules.
Schedule lower(const Schedule& schedule, SyncPolicy policy = SyncPolicy::Eager);

// [device] The number of values passed between two stages of the device, forward and backward.
IdVector<DeviceId, int> localCopies(const Schedule& schedule);
// [device] The number of SEND ops. Requires a schedule with transfers.
IdVector<DeviceId, int> messagesSent(const Schedule& schedule);

} // namespace engine
