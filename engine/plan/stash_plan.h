#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/plan/arena_layout.h"
#include "engine/plan/happens_before.h"
#include "engine/plan/message_plan.h"
#include "engine/timeline/timeline.h"

#include <array>

namespace engine {

// Ops work on units: a micro-batch whole, or cut into slices of the sequence, or into halves where
// any op is of a half (then a whole op is two units).
struct UnitRange
{
    int first = 0, count = 1;
};
int unitsPerMicroBatch(const Schedule& lowered);
bool hasHalves(const Schedule& lowered);
UnitRange unitsOf(const Op& op, int unitsPerMicroBatch);

constexpr std::size_t kStashPieces = 4; // of StashPieces, and the one before them

// A buffer that the program of a device orders: a stash, what I leaves of it for W, a boundary
// tensor between two stages of the device, or an older version of a stage's weights.
struct PlannedBuffer
{
    BufferLife life;
    MemoryCategory category = MemoryCategory::Stash;
    std::uint32_t evictedBy = kNoIndex; // position of its EVICT, where it leaves so
    // Bytes of each piece; all 0: it is one. The last two are what I frees.
    std::array<Bytes, kStashPieces> pieces{};
};

// What the ops of one device hold. Numbers are indices into `buffers`.
struct StashPlan
{
    struct OpStash
    {
        std::vector<std::uint32_t> stash;   // [unit of the op] what F, B, I, W and EVICT work on
        std::vector<std::uint32_t> made;    // [unit of the op] what RECOMPUTE or LOAD makes of it
        std::vector<std::uint32_t> earlier; // the slices before, whose keys and values it sees
        std::uint32_t input = kNoIndex, output = kNoIndex; // handed over
        std::uint32_t guest = kNoIndex;                    // of EVICT and LOAD: the partner's slot
        std::uint32_t version = kNoIndex; // of the weights; of OPT the one kept (version_plan.h)
    };

    std::vector<PlannedBuffer> buffers;
    std::vector<OpStash> of;   // [position]
    std::vector<Bytes> guests; // slots that the device needs of its partner: bytes of each
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
