#pragma once

#include "engine/schedule/schedule.h"

#include <vector>

namespace engine {

// Activations are counted in whole parts, so that sums are exact: an M_a (a device's layers for one
// micro-batch) has stashPartsPerActivation(), the op of a chunk, slice or half has stashParts().
std::int64_t stashPartsPerActivation(const Shape& shape);
inline std::int64_t stashParts(const Op& op, const Shape& shape)
{
    // A half is a slice of two; a schedule in whole micro-batches may hold single halves.
    constexpr int kHalves = 2;
    if (op.slice == Op::kWhole)
        return std::int64_t{kHalves} * (shape.slices > 1 ? shape.slices : 1);
    return shape.slices > 1 ? kHalves : 1;
}

// What an op does to the stash of its own device, and of its peer, at its begin and its end. An
// activation is alive from the start of its F to the end of its B, or of its W where the backward
// is split; one on its way to or from the partner counts on both.
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

// A stash that a RECOMPUTE rebuilds (Chen et al., 2016) is whole while its F runs and again from
// the RECOMPUTE on. In between only what that needs is kept: the input of the stage or, where only
// the attention is repeated, all but the scores.
struct HeldParts
{
    std::int64_t whole = 0, kept = 0;
};
struct HeldChange
{
    HeldParts ownAtBegin = {}, ownAtEnd = {}, peerAtBegin = {}, peerAtEnd = {};
};
enum class RebuiltBy : std::uint8_t { Nobody, Recompute, Backward }; // B or I, before it works
// stashChange() in parts, told apart. Evicts and loads move what there is before it is rebuilt.
HeldChange heldChange(const Op& op, const Shape& shape, RebuiltBy by);

// Which stashes of a schedule are rebuilt: a bit for each cell, none where no op recomputes.
class RebuiltStashes
{
public:
    RebuiltStashes() = default;
    explicit RebuiltStashes(const Schedule& schedule);

    bool any() const { return !m_cells.empty(); }
    RebuiltBy of(const Op& op) const // its micro-batch and stage; the op exists()
    {
        return has(op) ? RebuiltBy::Recompute : RebuiltBy::Nobody;
    }

private:
    bool has(const Op& op) const;

    Shape m_shape;
    std::vector<bool> m_cells;
};

// What a device keeps at most by its order alone, whatever the times: its own stashes (an EVICT has
// until the end of the compute op behind it to give its slot back, which is what keeps BPipe below
// its bound) and, at most, those of its partner that are away. In parts, with the op at which the
// own ones are the most. One that is rebuilt takes a slot all along.
struct StashPeak
{
    std::int64_t own = 0, guests = 0;
    int index = -1; // in the device's list
};
std::vector<StashPeak> stashPeaks(const Schedule& schedule); // [device]

// For how many parts a device that evicts has room: its own (guests of its partner not counted),
// and of them on the partner. Both are what its order alone needs, and both are kept whatever the
// times: an op waits for the copy that makes the room. So no device ever holds more than
// stashPeaks().
struct StashRoom
{
    std::int64_t own = 0, guests = 0; // 0: the device evicts nothing

    friend bool operator==(const StashRoom&, const StashRoom&) = default;
};
std::vector<StashRoom> stashRoom(const Schedule& schedule); // [device]

} // namespace engine
