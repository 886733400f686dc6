#pragma once

#include "engine/experiment/accumulate.h"
#include "engine/plan/memory_log.h"
#include "engine/plan/stash_plan.h"
#include "engine/transport/transport.h"

#include <array>

namespace engine {

// A stage as a device holds it, in its arena.
struct StagePlan
{
    int replica = 0;
    StageId stage;
    Extent weights, optimizer, gradients;
    Extent sums; // of int64: with exact accumulation, else empty
};

// Where the pieces of a stash lie: those of model's StashPieces, the first one first. One that
// moves as a whole lies in the first.
using StashPlace = std::array<Extent, kStashPieces>;

// An op with the memory it works on and what it waits for.
struct OpPlan
{
    Extent input, output;              // boundary tensors
    std::vector<StashPlace> stash;     // [unit of the op]
    std::vector<StashPlace> made;      // [unit of the op] of RECOMPUTE
    std::vector<Extent> earlier;       // stashes of the slices before
    Extent version;                    // of the weights, where it is not the newest; of OPT the
                                       // one to keep before it is updated, if any
    std::vector<Fence> waits;          // before it begins; of a joint pair: at the first; of an
                                       // ALLREDUCE that blocks: before what comes behind it
    std::vector<std::uint32_t> posts;  // messages that may land when it has ended
    std::vector<Extent> freed;         // when it has ended
    std::uint32_t transfer = kNoIndex; // of SEND and RECV the message, of EVICT and LOAD the copy
    std::vector<std::uint32_t> reductions; // of ALLREDUCE the collectives
};

// One device's arena, laid out from the schedule before anything runs. First what it holds for the
// whole run, then reservations for what other devices' clocks decide, then what its own program
// orders.
struct DevicePlan
{
    std::vector<StagePlan> stages;
    Extent workspace, tokens;
    std::array<Bytes, kMemoryCategories> fixed{}; // for the whole run
    std::vector<Extent> sources, slots, guests;   // reservations
    Bytes reserved = 0;                           // of these
    ArenaLayout layout;                           // of what the program orders
    Bytes arena = 0;                              // all of it
    std::array<Bytes, kMemoryCategories> full{};  // of it at the fullest moment; the rest is idle
    Bytes stashPeak = 0;                          // most stash of its own alive at once
    std::vector<OpPlan> ops;                      // [position]
    std::vector<std::uint32_t> firstPosts;        // messages that may land from the begin on

    Bytes live() const { return arena - layout.bytes + layout.peak; } // at the fullest moment
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
    // Of one copy of the pipeline; the members of all copies take part. Tied embeddings of several
    // copies have up to four: of the tied tensor, and of what lies beside it in either stage.
    struct PlannedCollective
    {
        struct Member
        {
            DeviceId device;
            int replica = 0;
            StageId stage;
            std::size_t first = 0; // of the numbers of its gradient that are summed
        };

        StageId stage; // under which they meet (tied_embeddings.h)
        std::size_t count = 0;
        std::vector<Member> members;
    };

    int units = 1; // of a micro-batch
    int width = 1; // data-parallel: copies of the pipeline, of which all else is one
    std::vector<DevicePlan> devices;
    std::vector<SentMessage> messages;
    std::vector<PlannedCopy> copies;
    std::vector<PlannedCollective> collectives;
    std::vector<HappensBefore::Place> order; // every op after what it consumes
    MemoryLog memory; // what an iteration allocates and frees: known before it runs

    double total() const; // bytes of all arenas of all copies
};

struct ExecutionPlanInput
{
    const Schedule& lowered;
    const PipelineModel<float>& unit; // a pass of one unit of a micro-batch (stash_plan.h)
    Accumulate accumulate = Accumulate::Float;
    Bytes tokenBytes = 0; // of an iteration, on the devices of the first and the last stage
};
ExecutionPlan planExecution(const ExecutionPlanInput& input);

constexpr Bytes floatBytes(std::size_t numbers) // of gradients and the optimizer
{
    return static_cast<Bytes>(numbers * sizeof(float));
}
inline Bytes storedBytes(const StageSizes& sizes, std::size_t numbers)
{
    return static_cast<Bytes>(sizes.bytes(numbers));
}

// What the record of so many iterations keeps in memory while it grows, bytes: of every op its
// span, its measured time and two memory events.
double recordBytes(std::size_t ops, std::int64_t iterations);

} // namespace engine
