#include "engine/schedule/check/stash.h"

#include "engine/schedule/dataflow.h"
#include "engine/schedule/dataflow_visit.h"

#include <algorithm>
#include <span>
#include <utility>

namespace engine {
namespace {

constexpr int kHalves = 2;

// The peak of a device's own stashes, which follows from the order of its program alone.
StashPeak ownPeak(std::span<const Op> ops, const Shape& shape)
{
    StashPeak peak;
    std::int64_t held = 0, leaving = 0;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const StashChange change = stashChange(ops[i].kind);
        const std::int64_t parts = stashParts(ops[i], shape);
        held += change.ownAtBegin * parts;
        if (held > peak.own) {
            peak.own = held;
            peak.index = i;
        }
        leaving -= change.ownAtEnd * parts;
        if (isCompute(ops[i].kind) && ops[i].flags != OpFlag::JointWithNext)
            held -= std::exchange(leaving, 0);
    }
    return peak;
}

// The largest number of parts that are evicted at the same time, each from its EVICT to its LOAD,
// not counting ops for which `isLeftOut` is true.
std::int64_t mostAway(std::span<const Op> ops, const Shape& shape,
                      bool (*isLeftOut)(const Op&) = nullptr)
{
    std::int64_t away = 0;
    std::int64_t most = 0;
    for (const Op& op : ops) {
        if (isLeftOut != nullptr && isLeftOut(op))
            continue;
        const StashChange change = stashChange(op.kind);
        away += (change.peerAtBegin + change.peerAtEnd) * stashParts(op, shape);
        most = std::max(most, away);
    }
    return most;
}

} // namespace

std::int64_t stashPartsPerActivation(const Shape& shape)
{
    return std::int64_t{kHalves} * shape.chunks() * std::max(shape.slices, 1);
}

IdVector<DeviceId, StashPeak> stashPeaks(const Schedule& schedule)
{
    IdVector<DeviceId, StashPeak> peaks;
    for (const DeviceId d : schedule.program.ids()) {
        peaks.push_back(ownPeak(schedule.program[d], schedule.shape));
        const DeviceId partner = stashPartner(d, schedule.shape);
        if (partner != d && schedule.program.has(partner))
            peaks[d].guests = mostAway(schedule.program[partner], schedule.shape, usesHost);
    }
    return peaks;
}

IdVector<DeviceId, StashCapacity> stashCapacity(const Schedule& schedule)
{
    IdVector<DeviceId, StashCapacity> capacity;
    for (const auto& ops : schedule.program) {
        const std::int64_t guests = mostAway(ops, schedule.shape);
        capacity.push_back(guests > 0 ? StashCapacity{ownPeak(ops, schedule.shape).own, guests}
                                      : StashCapacity{});
    }
    return capacity;
}

HeldChange heldChange(const Op& op, const Shape& shape, RebuiltBy by)
{
    const std::int64_t parts = stashParts(op, shape);
    const StashChange change = stashChange(op.kind);
    const bool rebuilds = by == RebuiltBy::Recompute
        ? op.kind == OpKind::Recompute
        : op.kind == OpKind::Backward || op.kind == OpKind::BackwardInput;
    if (by == RebuiltBy::None)
        return {.ownAtBegin = {change.ownAtBegin * parts, 0},
                .ownAtEnd = {change.ownAtEnd * parts, 0},
                .peerAtBegin = {change.peerAtBegin * parts, 0},
                .peerAtEnd = {change.peerAtEnd * parts, 0}};
    if (isCopy(op.kind))
        return {.ownAtBegin = {0, change.ownAtBegin * parts},
                .ownAtEnd = {0, change.ownAtEnd * parts},
                .peerAtBegin = {0, change.peerAtBegin * parts},
                .peerAtEnd = {0, change.peerAtEnd * parts}};
    if (op.kind == OpKind::Forward)
        return {.ownAtBegin = {parts, 0}, .ownAtEnd = {-parts, parts}};
    return {.ownAtBegin = rebuilds ? HeldParts{parts, -parts} : HeldParts{},
            .ownAtEnd = {change.ownAtEnd * parts, 0}};
}

RebuiltStashes::RebuiltStashes(const Schedule& schedule)
    : m_shape(schedule.shape)
{
    for (const auto& ops : schedule.program)
        for (const Op& op : ops) {
            if (op.kind != OpKind::Recompute || !exists(op, m_shape))
                continue;
            if (m_cells.empty())
                m_cells.resize(cellCount(m_shape));
            m_cells[cellIndex(stashOf(op), m_shape)] = true;
        }
}

bool RebuiltStashes::has(const Op& op) const
{
    return any() && op.microBatch.isValid() && m_cells[cellIndex(stashOf(op), m_shape)];
}

} // namespace engine
