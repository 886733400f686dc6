#pragma once

#include "engine/schedule/schedule.h"

#include <vector>

namespace engine {

// Activations are counted in integer parts, so that sums are exact. One M_a (the activations of all
// layers of a device for one micro-batch) has stashPartsPerActivation() parts. The stash of one op,
// which may cover only a chunk, a slice or a half, has stashParts() parts.
std::int64_t stashPartsPerActivation(const Shape& shape);
inline std::int64_t stashParts(const Op& op, const Shape& shape)
{
    // The unit is half a slice, or half a micro-batch if the shape has no slices.
    constexpr int kHalves = 2;
    if (op.slice == Op::kWhole)
        return std::int64_t{kHalves} * (shape.slices > 1 ? shape.slices : 1);
    return shape.slices > 1 ? kHalves : 1;
}

// The changes that an op makes to the stashes of its own device and of its peer, when it starts and
// when it ends. A stash lives from the start of its F to the end of its B, or of its W if the
// backward is split. During an evict or load it counts on both devices. Host memory is no device.
struct StashChange
{
    int ownAtBegin = 0, ownAtEnd = 0, peerAtBegin = 0, peerAtEnd = 0;
};
inline StashChange stashChange(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return {.ownAtBegin = 1};
    case OpKind::Backward:
    case OpKind::BackwardWeight:
        return {.ownAtEnd = -1};
    case OpKind::Evict:
        return {.ownAtEnd = -1, .peerAtBegin = 1};
    case OpKind::Load:
        return {.ownAtBegin = 1, .peerAtEnd = -1};
    default:
        return {};
    }
}

// Stashes of a device at one time, in parts. `whole` counts complete stashes; `kept` counts stashes
// that are dropped at this time and rebuilt later (Chen et al., 2016). Such a stash is complete
// during F and again from the RECOMPUTE on. In between only the input of the RECOMPUTE is stored:
// the input of the stage or, with attention recomputation, everything except the scores.
struct HeldParts
{
    std::int64_t whole = 0, kept = 0;
};
struct HeldChange
{
    HeldParts ownAtBegin = {}, ownAtEnd = {}, peerAtBegin = {}, peerAtEnd = {};
};
// The op that rebuilds a stash: none, a RECOMPUTE, or the B or I that uses it.
enum class RebuiltBy : std::uint8_t { None, Recompute, Backward };
// Like stashChange(), but in parts, and with complete and dropped stashes counted separately. A
// stash that is rebuilt is in its dropped form when EVICT or LOAD moves it.
HeldChange heldChange(const Op& op, const Shape& shape, RebuiltBy by);

// The set of stashes of a schedule that a RECOMPUTE rebuilds, as one bit per cell (cellIndex()).
// Empty if the schedule has no RECOMPUTE.
class RebuiltStashes
{
public:
    RebuiltStashes() = default;
    explicit RebuiltStashes(const Schedule& schedule);

    bool any() const { return !m_cells.empty(); }
    RebuiltBy of(const Op& op) const // by stage and micro-batch; requires exists(op)
    {
        return has(op) ? RebuiltBy::Recompute : RebuiltBy::None;
    }

private:
    bool has(const Op& op) const;

    Shape m_shape;
    std::vector<bool> m_cells;
};

// The peak stash of a device in parts, for any op durations. `own` counts the stashes of the
// device, which peak at position `index`; `guests` those that the partner evicts to the device. An
// EVICT must have freed the memory of its stash by the end of the next compute op; this rule keeps
// BPipe below its bound. A stash that is rebuilt is counted as complete at all times.
struct StashPeak
{
    std::int64_t own = 0, guests = 0;
    int index = -1; // position in the device's program
};
IdVector<DeviceId, StashPeak> stashPeaks(const Schedule& schedule);

// Stash capacities of a device that evicts, in parts: `own` on the device, `guests` on the partner
// or the host. Both are the smallest that the order of the ops allows. An op waits for the EVICT or
// LOAD that frees memory for it, so no device exceeds stashPeaks().
struct StashCapacity
{
    std::int64_t own = 0, guests = 0; // 0: the device evicts nothing

    friend bool operator==(const StashCapacity&, const StashCapacity&) = default;
};
IdVector<DeviceId, StashCapacity> stashCapacity(const Schedule& schedule);

} // namespace engine
