#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/plan/arena_layout.h"
#include "engine/plan/happens_before.h"
#include "engine/plan/message_plan.h"
#include "engine/timeline/timeline.h"

#include <array>

namespace engine {

// The units of work that an op processes. The units of a micro-batch are its sequence slices, or
// two halves if the schedule has ops over halves; otherwise the micro-batch is one unit. An op over
// a whole micro-batch processes all its units.
struct UnitRange
{
    int first = 0, count = 1;
};
int unitsPerMicroBatch(const Schedule& lowered);
UnitRange unitsOf(const Op& op, int unitsPerMicroBatch);

constexpr std::size_t kStashPieces = 4; // the first piece, and the three of StashPieces

// A buffer whose lifetime the program of a device determines: a stash (op I shrinks it to the part
// that op W needs), a boundary tensor between two stages of the device, or an older weight version.
struct PlannedBuffer
{
    BufferLife life;
    MemoryCategory category = MemoryCategory::Stash;
    std::uint32_t evictedBy = kNoIndex; // position of the EVICT that moves the buffer
    // The bytes of each piece; all 0 if the buffer is not divided. Op I frees the last two pieces.
    std::array<Bytes, kStashPieces> pieces{};
};

// The buffers for the ops of one device. The integers in OpStash are indices into `buffers`.
struct StashPlan
{
    struct OpStash
    {
        // Stashes that an F, B, I, W or EVICT uses: one index per unit of work (UnitRange).
        std::vector<std::uint32_t> stash;
        // Stashes that a RECOMPUTE or LOAD produces: one index per unit of work.
        std::vector<std::uint32_t> made;
        // Stashes of earlier slices, to whose keys and values the op attends.
        std::vector<std::uint32_t> earlier;
        // Boundary tensors between two stages of the device.
        std::uint32_t input = kNoIndex, output = kNoIndex;
        std::uint32_t guest = kNoIndex; // EVICT and LOAD: index in `guests`
        // The old weight version that the op uses or, for an OPT, keeps.
        std::uint32_t version = kNoIndex;
    };

    std::vector<PlannedBuffer> buffers;
    std::vector<OpStash> of;   // [position]
    std::vector<Bytes> guests; // bytes of each area for evicted stashes, on the partner or the host
};

struct StashPlanInput
{
    const Schedule& lowered;
    const HappensBefore& order;
    const MessagePlan& messages;
    const PipelineModel<float>& model; // a pass processes one unit of work (UnitRange)
};
StashPlan planStash(const StashPlanInput& input, DeviceId device);

} // namespace engine
