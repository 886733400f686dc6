#pragma once

#include "profiler/analysis/tensors/memory_steps.h"

namespace profiler {

// A tensor, or the tensors that one op has allocated in one category.
struct AliveTensor
{
    MemoryKind kind = MemoryKind::Stash;
    // Op that allocated it; nullopt: memory without an op, such as weights.
    std::optional<std::uint32_t> op;
    std::int64_t since = 0, bytes = 0;
    std::optional<engine::DeviceId> owner; // for a guest: the device that owns the stash
};

// Returns the tensors in the memory of a device at a time, after all events of that time. Stashes
// come first, sorted by `since`, then the other kinds, the largest first. Their bytes add up to
// those of stepAt(). A free releases the oldest allocations of the same category, stage and
// micro-batch.
std::vector<AliveTensor> aliveAt(const engine::Run& run, engine::DeviceId device,
                                 std::int64_t time);

// A stash that a device has evicted and not loaded again.
struct EvictedTensor
{
    std::uint32_t op = 0; // the EVICT
    engine::DeviceId partner;
    std::int64_t left = 0, bytes = 0;
    std::optional<std::int64_t> back; // start of the LOAD that brings it back
};
std::vector<EvictedTensor> evictedAt(const engine::Run& run, engine::DeviceId device,
                                     std::int64_t time);

// The role of a device in BPipe: an evictor and an acceptor are partners.
struct MemoryPartner
{
    engine::DeviceId device;
    bool isEvictor = false;
    int moves = 0;          // number of EVICTs per iteration
    std::int64_t bytes = 0; // moved by EVICTs during an iteration
};
// Returns the partner of each device; nullopt if no stash moves from or to the device. A device
// that both evicts and accepts is reported as an evictor.
engine::IdVector<engine::DeviceId, std::optional<MemoryPartner>>
memoryPartners(const engine::Run& run, int iteration);

} // namespace profiler
