#include "engine/schedule/stash.h"

#include <algorithm>

namespace engine {
namespace {

constexpr int kHalves = 2;

std::int64_t roomOf(std::span<const Op> ops, const Shape& shape)
{
    std::int64_t held = 0, leaving = 0, most = 0;
    bool evicts = false;
    for (const Op& op : ops) {
        const StashChange change = stashChange(op.kind);
        const std::int64_t parts = stashParts(op, shape);
        held += change.ownAtBegin * parts;
        most = std::max(most, held);
        leaving -= change.ownAtEnd * parts;
        evicts = evicts || op.kind == OpKind::Evict;
        if (isCompute(op.kind) && op.flags != OpFlag::JointWithNext) {
            held -= leaving;
            leaving = 0;
        }
    }
    return evicts ? most : 0;
}

} // namespace

std::int64_t stashPartsPerActivation(const Shape& shape)
{
    return std::int64_t{kHalves} * std::max(shape.chunks(), 1) * std::max(shape.slices, 1);
}

std::vector<std::int64_t> stashRoom(const Schedule& schedule)
{
    std::vector<std::int64_t> room;
    for (const auto& ops : schedule.program)
        room.push_back(roomOf(ops, schedule.shape));
    return room;
}

} // namespace engine
