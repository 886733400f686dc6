#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/plan/arena_layout.h"
#include "engine/plan/happens_before.h"
#include "engine/plan/message_plan.h"
#include "engine/timeline/timeline.h"

#include <array>

namespace engine {

// Units of work of an op: the whole micro-batch, sequence slices, or halves if any op of the
// schedule has a half (then a whole op is two units).
struct UnitRange
{
    int first = 0, count = 1;
};
int unitsPerMicroBatch(const Schedule& lowered);
bool hasHalves(const Schedule& lowered);
UnitRange unitsOf(const Op& op, int unitsPerMicroBatch);

constexpr std::size_t kStashPieces = 4; // of StashPieces, and the one before them

// A buffer whose lifetime the program of a device determines: a stash, what I keeps of it for W,
// a boundary tensor between two stages of the device, or an older weight version.
struct PlannedBuffer
{
    BufferLife life;
    MemoryCategory category = MemoryCategory::Stash;
    std::uint32_t evictedBy = kNoIndex; // position of the EVICT that moves it, if any
    // Bytes of each piece; all 0: a single piece. I frees the last two.
    std::array<Bytes, kStashPieces> pieces{};
};

// The buffers of the ops of one device. Numbers are indices into `buffers`.
struct StashPlan
{
    struct OpStash
    {
        std::vector<std::uint32_t> stash; // [unit of work] used by F, B, I, W and EVICT
        std::vector<std::uint32_t> made;  // [unit of work] produced by RECOMPUTE or LOAD
        // the earlier slices, to whose keys and values it attends
        std::vector<std::uint32_t> earlier;
        std::uint32_t input = kNoIndex, output = kNoIndex; // passed within the device
        std::uint32_t guest = kNoIndex; // of EVICT and LOAD: the slot on the partner
        // of the weights; of OPT the version kept (version_plan.h)
        std::uint32_t version = kNoIndex;
    };

    std::vector<PlannedBuffer> buffers;
    std::vector<OpStash> of;   // [position]
    std::vector<Bytes> guests; // slots needed on the partner: bytes of each
};

struct StashPlanInput
{
    const Schedule& lowered;
    const HappensBefore& order;
    const MessagePlan& messages;
    const PipelineModel<float>& unit; // of one unit
};
StashPlan planStash(const StashPlanInput& input, DeviceId device);

} // namespace engine
