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

// When a new stash is evicted. Both policies have the same bound on the stashes of a device. Steady
// evicts if the device is at most one stash below the bound and the partner has space. Lazy evicts
// only if the bound would otherwise be exceeded two ops later.
enum class EvictPolicy : std::uint8_t { Lazy, Steady };

// BPipe (Kim et al., ICML 2023): adds EVICT after a forward and LOAD one op before the backward. If
// devices d and D-1-d hold up to n and n' stashes without BPipe, each holds at most
// ceil((n+n'+1)/2) with it; for 1F1B this is ceil((D+2)/2). A stash in transfer counts on both
// devices. The order of compute ops is unchanged. The schedule is returned unchanged if it needs no
// evicts or if evicts cannot lower its peak. Fails for schedules with transfers, joint ops or
// halves.
Result<Schedule> balanceStash(const Schedule& schedule, EvictPolicy policy);
// Like balanceStash(), but fails if nothing can be evicted.
Result<Schedule> addEvictLoad(const Schedule& schedule, EvictPolicy policy);
// Adds an EVICT to host memory after a forward and the LOAD of its stash before the backward, so
// that no device holds more than `most` activations (M_a), however long ops and copies take: an op
// waits for the copy that frees its memory. Of several stashes, those that are needed last are
// evicted, which takes the fewest copies. A stash is loaded one op before its backward, or earlier
// where its device has memory. The order of compute ops is unchanged. Fails for schedules with
// transfers, evicts, recomputation or parts of micro-batches, and if the limit is too small.
Result<Schedule> addOffload(const Schedule& schedule, double most);
// Adds a RECOMPUTE before each B or I. The RECOMPUTE ops of a joint group all come before the
// group. If the stash is evicted, its RECOMPUTE comes after the LOAD. The costs decide how much of
// the forward is repeated.
Schedule addRecompute(const Schedule& schedule);

// addP2P(), addAllReduce() and addOptimizer() return the schedule unchanged if it already has the
// ops that they add: a schedule file may define the order of these ops.

// Adds SEND after the producer and RECV before the consumer of a value if they are on different
// devices, and sets `peer`. Consecutive stages on one device pass values without an op
// (localCopies()).
Schedule addP2P(const Schedule& schedule);
// Adds an ALLREDUCE per (replica, stage) on every device that holds the stage, if replicas x data-
// parallel width > 1. An asynchronous schedule gets one ALLREDUCE per update, which every policy
// places as Eager does, because the next backward of the stage has to wait for it. Late and
// EagerBlocking place all-reduces before the OPTs that the schedule already has.
Schedule addAllReduce(Schedule schedule, SyncPolicy policy);
// The number of micro-batches per update (Shape::updateEvery) in each direction.
int updateEveryOfReplica(const Shape& shape);
// Adds an OPT per (replica, stage) after all other ops of the device. An asynchronous schedule gets
// an OPT after every backward that completes the gradients of an update or, if gradients are summed
// over replicas, before the first op that needs the updated weights.
Schedule addOptimizer(Schedule schedule);
// Applies addP2P(), addAllReduce() and addOptimizer(). Executors and simulator require lowered
// schedules.
Schedule lower(const Schedule& schedule, SyncPolicy policy = SyncPolicy::Eager);

// By device: the values passed between two of its stages, forward and backward.
IdVector<DeviceId, int> localCopies(const Schedule& schedule);
// By device. Requires a schedule with transfers.
IdVector<DeviceId, int> messagesSent(const Schedule& schedule);

// Adds the two ALLREDUCE of tied embeddings to a lowered schedule of one direction. With Eager each
// follows the last gradient of its stage; otherwise it follows all ops except OPT. The new
// ALLREDUCE ops also sum over the data-parallel pipelines. They replace ALLREDUCE ops that the
// schedule already has for these two stages (from a file, or for data parallelism).
//
// Returns the schedule unchanged if one device holds both stages, because that device sums locally.
// With two directions this is always the case.
Schedule tieEmbeddings(Schedule lowered, SyncPolicy policy);

bool hasTiedEmbeddings(const Schedule& schedule);
// Removes the ALLREDUCE of tied embeddings, so that addAllReduce() can add those for data
// parallelism.
Schedule withoutTiedEmbeddings(Schedule schedule);
// Marks the all-reduces of tied embeddings in a schedule that was read from a file, because file
// formats do not mark them. In a schedule of one direction without data parallelism, an all-reduce
// of only the first and the last stage is taken as that of tied embeddings. With two stages it
// could be an all-reduce of all stages and is not marked.
void recognizeTiedEmbeddings(Schedule& schedule);

} // namespace engine
