#pragma once

#include "engine/experiment/run_options.h"
#include "engine/plan/stash_plan.h"
#include "engine/timeline/timeline.h"
#include "engine/transport/transport.h"

#include <array>
#include <vector>

namespace engine {

// An allocation or a free at the start or end of an op. Its time is known when the op has run.
struct MemoryChange
{
    enum class At : std::uint8_t { Begin, End };

    std::uint32_t op = 0;
    At at = At::Begin;
    DeviceId device;
    MemoryCategory category = MemoryCategory::Stash;
    Bytes bytes = 0; // positive: allocated, negative: freed

    friend bool operator==(const MemoryChange&, const MemoryChange&) = default;
};
using MemoryLog = std::vector<MemoryChange>;

// Appends the memory events of iteration `iteration`, whose spans must be the last of every track.
// The events are sorted by time; at equal times, frees come first.
void placeMemory(const MemoryLog& log, std::uint32_t iteration, std::uint32_t opCount,
                 Timeline& timeline);

// By OpIndex.
std::vector<Window> windowsOf(const Timeline& timeline, std::uint32_t iteration,
                              std::uint32_t opCount);

// The memory of a stage in the arena of a device.
struct StagePlan
{
    int replica = 0;
    StageId stage;
    Extent weights, optimizer, gradients;
    Extent sums; // int64 sums for exact accumulation; otherwise empty
};

// The positions of the pieces of a stash (see StashPieces). If a stash is not divided, the first
// element is the whole stash and the others are empty.
using StashPlace = std::array<Extent, kStashPieces>;

// The memory of an op and the fences that it waits for.
struct OpPlan
{
    Extent input, output;          // memory of the boundary tensors
    std::vector<StashPlace> stash; // [unit of work] the memory of the stash that the op uses
    std::vector<StashPlace> made;  // [unit of work] the memory of the stash that RECOMPUTE produces
    std::vector<Extent> earlier;   // stashes of earlier slices
    // The weights that the op uses; empty if they are the newest. For an OPT: the memory into which
    // it copies the old version; empty if the old version is not kept.
    Extent version;
    // Fences that must pass before the op begins. The fences of joint ops are stored with the first
    // joint op. The fences of a blocking ALLREDUCE must pass before the next op begins.
    std::vector<Fence> waits;
    std::vector<std::uint32_t> posts; // messages whose slots become free after the op
    std::vector<Extent> freed;        // memory that becomes free after the op
    // Index of the message of a SEND or RECV, or of the copy of an EVICT or LOAD.
    std::uint32_t transfer = kNoIndex;
    std::vector<std::uint32_t> reductions; // indices of the collectives of an ALLREDUCE
};

// The arena of one device, planned before the run. It contains, in this order, memory for the whole
// run, reservations that depend on other devices, and buffers whose lifetimes the program of the
// device determines.
struct DevicePlan
{
    std::vector<StagePlan> stages;
    Extent workspace, tokens;
    // Memory that is held for the whole run.
    EnumArray<MemoryCategory, Bytes, kMemoryCategories> fixed{};
    std::vector<Extent> sources, slots, guests; // for messages and evicted stashes of the partner
    // Host memory for the device's own stashes, an arena of its own, and its size.
    std::vector<Extent> onHost;
    Bytes host = 0;
    Bytes reserved = 0;
    ArenaLayout layout; // layout of the buffers with lifetimes
    Bytes arena = 0;    // size of the whole arena
    // Bytes in use at the peak, by category. The rest of the arena is unused at the peak.
    EnumArray<MemoryCategory, Bytes, kMemoryCategories> full{};
    Bytes stashPeak = 0;                   // peak bytes of the device's own stashes
    std::vector<OpPlan> ops;               // [position]
    std::vector<std::uint32_t> firstPosts; // messages whose slots are free before the first op

    Bytes live() const { return arena - layout.bytes + layout.peak; } // bytes in use at the peak
};

struct ExecutionPlan
{
    struct SentMessage
    {
        DeviceId from, to;
        Extent source, slot;
        Value value;
    };
    struct PlannedCopy
    {
        DeviceId owner, peer; // equal: `guest` is in the host memory of the owner
        Extent own, guest;
        bool evicts = true;

        bool usesHost() const { return peer == owner; }
    };
    // A collective, with the members of one data-parallel pipeline. The corresponding members of
    // the other pipelines also take part in the collective. Tied embeddings with several pipelines
    // need up to four collectives: one for the tied tensor, and one for each part of the two stages
    // before or after it.
    struct PlannedCollective
    {
        struct Member
        {
            DeviceId device;
            int replica = 0;
            StageId stage;
            std::size_t first = 0; // index of the first summed number in the gradient
        };

        StageId stage; // allReduceStage() of the ALLREDUCE ops (schedule.h)
        int round = 0; // index of the update; 0 unless an iteration has several
        std::size_t count = 0;
        std::vector<Member> members;
    };

    int units = 1; // units of work per micro-batch (UnitRange)
    int width = 1; // number of data-parallel pipelines; the plan describes one of them
    IdVector<DeviceId, DevicePlan> devices;
    std::vector<SentMessage> messages;
    std::vector<PlannedCopy> copies;
    std::vector<PlannedCollective> collectives;
    // An order of the ops in which every op follows its inputs.
    std::vector<HappensBefore::Place> order;
    MemoryLog memory; // allocations and frees of an iteration

    double total() const; // bytes of the arenas of all data-parallel pipelines, and of their hosts
};

struct ExecutionPlanInput
{
    const Schedule& lowered;
    const PipelineModel<float>& model; // a pass processes one unit of work (UnitRange)
    Accumulate accumulate = Accumulate::Float;
    Bytes tokenBytes = 0; // bytes of an iteration's tokens, on devices of the first and last stage
};
ExecutionPlan planExecution(const ExecutionPlanInput& input);

constexpr Bytes floatBytes(std::size_t numbers)
{
    return numbers * sizeof(float);
}
inline Bytes storedBytes(const StageSizes& sizes, std::size_t numbers)
{
    return sizes.bytes(numbers);
}

// Per op a span, a measured time and two memory events.
double recordBytes(std::size_t ops, std::int64_t iterations);

} // namespace engine
