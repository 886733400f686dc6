#pragma once

#include "engine/experiment/accumulate.h"
#include "engine/plan/memory_log.h"
#include "engine/plan/stash_plan.h"
#include "engine/transport/transport.h"

#include <array>

namespace engine {

// A stage in the arena of a device.
struct StagePlan
{
    int replica = 0;
    StageId stage;
    Extent weights, optimizer, gradients;
    Extent sums; // int64, with exact accumulation; otherwise empty
};

// Positions of the pieces of a stash, see the model's StashPieces. A stash that moves as a whole
// is in the first.
using StashPlace = std::array<Extent, kStashPieces>;

// An op with its memory and the fences that it waits for.
struct OpPlan
{
    Extent input, output;          // boundary tensors
    std::vector<StashPlace> stash; // [unit of work of the op]
    std::vector<StashPlace> made;  // [unit of work of the op] of RECOMPUTE
    std::vector<Extent> earlier;   // stashes of earlier slices
    Extent version; // weights, if not the newest; for OPT the version to keep before the update, if
                    // any
    std::vector<Fence> waits; // before the op begins; for joint ops at the first; for a blocking
                              // ALLREDUCE before the next op
    std::vector<std::uint32_t> posts;  // messages whose slots are free after the op
    std::vector<Extent> freed;         // after the op
    std::uint32_t transfer = kNoIndex; // the message of SEND and RECV, the copy of EVICT and LOAD
    std::vector<std::uint32_t> reductions; // the collectives of ALLREDUCE
};

// The arena of one device, planned before the run: memory for the whole run, then reservations
// that depend on other devices, then buffers ordered by its own program.
struct DevicePlan
{
    std::vector<StagePlan> stages;
    Extent workspace, tokens;
    EnumArray<MemoryCategory, Bytes, kMemoryCategories> fixed{}; // for the whole run
    std::vector<Extent> sources, slots, guests;                  // reservations
    Bytes reserved = 0;                                          // bytes of the reservations
    ArenaLayout layout; // of the buffers ordered by the program
    Bytes arena = 0;    // total bytes
    EnumArray<MemoryCategory, Bytes, kMemoryCategories>
        full{};                            // of it at the peak; the rest is idle
    Bytes stashPeak = 0;                   // peak of its own stashes
    std::vector<OpPlan> ops;               // [position]
    std::vector<std::uint32_t> firstPosts; // messages whose slots are free from the begin

    Bytes live() const { return arena - layout.bytes + layout.peak; } // at the peak
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
        DeviceId owner, peer;
        Extent own, guest;
        bool evicts = true;
    };
    // Of one copy of the pipeline; the members of all copies take part. Tied embeddings with
    // several copies need up to four: for the tied tensor, and for the rest of either stage.
    struct PlannedCollective
    {
        struct Member
        {
            DeviceId device;
            int replica = 0;
            StageId stage;
            std::size_t first = 0; // of the numbers of its gradient that are summed
        };

        StageId stage; // identifies the all-reduce (tied_embeddings.h)
        std::size_t count = 0;
        std::vector<Member> members;
    };

    int units = 1; // per micro-batch
    int width = 1; // data-parallel copies; everything else describes one copy
    IdVector<DeviceId, DevicePlan> devices;
    std::vector<SentMessage> messages;
    std::vector<PlannedCopy> copies;
    std::vector<PlannedCollective> collectives;
    std::vector<HappensBefore::Place> order; // every op after its inputs
    MemoryLog memory; // allocations and frees of an iteration, known before it runs

    double total() const; // bytes of all arenas of all copies
};

struct ExecutionPlanInput
{
    const Schedule& lowered;
    const PipelineModel<float>& unit; // a pass of one unit of a micro-batch (stash_plan.h)
    Accumulate accumulate = Accumulate::Float;
    Bytes tokenBytes = 0; // per iteration, on the devices of the first and the last stage
};
ExecutionPlan planExecution(const ExecutionPlanInput& input);

constexpr Bytes floatBytes(std::size_t numbers) // of gradients and the optimizer
{
    return numbers * sizeof(float);
}
inline Bytes storedBytes(const StageSizes& sizes, std::size_t numbers)
{
    return sizes.bytes(numbers);
}

// Bytes of the recording of that many iterations in memory: per op its span, its measured time
// and two memory events.
double recordBytes(std::size_t ops, std::int64_t iterations);

} // namespace engine
