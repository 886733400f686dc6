#include "engine/schedule/check/stash.h"
#include "engine/schedule/dataflow_visit.h"

namespace engine {

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
