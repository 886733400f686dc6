#pragma once

#include "engine/timeline/run.h"

#include <optional>
#include <vector>

namespace profiler {

// The kinds of a device's memory: the categories and, last, guests, which are stashes that other
// devices have evicted to this one.
enum class MemoryKind : std::uint8_t {
    Stash = int(engine::MemoryCategory::Stash),
    Guest = engine::kMemoryCategories
};
constexpr int kMemoryKinds = engine::kMemoryCategories + 1;
constexpr MemoryKind kindOf(engine::MemoryCategory category)
{
    return static_cast<MemoryKind>(category);
}

// The memory of a device from `time` until the next step.
struct MemoryStep
{
    std::int64_t time = 0;
    engine::EnumArray<MemoryKind, std::int64_t, kMemoryKinds> bytes{};
    std::int64_t evicted = 0; // bytes of the device's own stashes on its partner or the host

    std::int64_t total() const;
    // What total() would be if no stash had been evicted.
    std::int64_t withoutMoves() const { return total() - bytes[MemoryKind::Guest] + evicted; }
};
using MemorySteps
    = std::vector<MemoryStep>; // in time order; the first is at the start of the iteration

// Returns the device that owns the stash, if the event allocates or frees a stash of another
// device; otherwise nullopt.
std::optional<engine::DeviceId> ownerOfGuest(const engine::Run& run, const engine::OpIndex& index,
                                             const engine::MemoryEvent& event);
MemoryKind kindOf(const engine::Run& run, const engine::OpIndex& index,
                  const engine::MemoryEvent& event);

// The memory of every device during an iteration (index into Timeline::iterations); empty if no
// memory was recorded.
engine::IdVector<engine::DeviceId, MemorySteps> memorySteps(const engine::Run& run, int iteration);
const MemoryStep& stepAt(const MemorySteps& steps, std::int64_t time); // `steps` must not be empty
const MemoryStep& peakOf(const MemorySteps& steps);                    // the first highest step
// Returns the times of the local maxima that reach at least `share` of the peak, in time order.
std::vector<std::int64_t> peakTimes(const MemorySteps& steps, double share = 0.98);

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
    std::uint32_t op = 0;                    // the EVICT
    std::optional<engine::DeviceId> partner; // nullopt: it is in host memory
    std::int64_t left = 0, bytes = 0;
    std::optional<std::int64_t> back; // start of the LOAD that brings it back
};
std::vector<EvictedTensor> evictedAt(const engine::Run& run, engine::DeviceId device,
                                     std::int64_t time);

// The role of a device in BPipe: an evictor and an acceptor are partners. A device that offloads
// its stashes is an evictor whose partner is the host.
struct MemoryPartner
{
    std::optional<engine::DeviceId> device; // nullopt: the host
    bool isEvictor = false;
    int moves = 0;          // number of EVICTs per iteration
    std::int64_t bytes = 0; // moved by EVICTs during an iteration
};
// Returns the partner of each device; nullopt if no stash moves from or to the device. A device
// that both evicts and accepts is reported as an evictor.
engine::IdVector<engine::DeviceId, std::optional<MemoryPartner>>
memoryPartners(const engine::Run& run, int iteration);

} // namespace profiler
