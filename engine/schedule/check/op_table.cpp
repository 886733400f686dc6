#include "engine/schedule/check/op_table.h"

#include "engine/schedule/transfers.h"

#include <array>

namespace engine {
namespace {

// The kinds of op that exclude an op of this kind for the same micro-batch and stage. B includes I
// and W, so B excludes both. Every kind excludes a second op of the same kind.
std::span<const OpKind> rivalsOf(const OpKind& kind)
{
    static constexpr std::array kOfB{OpKind::Backward, OpKind::BackwardInput,
                                     OpKind::BackwardWeight};
    static constexpr std::array kOfI{OpKind::Backward, OpKind::BackwardInput};
    static constexpr std::array kOfW{OpKind::Backward, OpKind::BackwardWeight};
    switch (kind) {
    case OpKind::Backward:
        return kOfB;
    case OpKind::BackwardInput:
        return kOfI;
    case OpKind::BackwardWeight:
        return kOfW;
    default:
        return {&kind, 1};
    }
}

} // namespace

OpTable::OpTable(const Shape& shape)
    : m_shape(shape)
    , m_last(shape.rows())
    , m_replica(shape.allMicroBatches(), -1)
{ }

std::uint32_t OpTable::cell(const Op& op) const
{
    return hasMicroBatch(op.kind) ? cellIndex(op, m_shape) : row(op);
}

void OpTable::add(const OpPlace& place)
{
    const Op& op = place.op;
    auto& ofKind = m_index[op.kind];
    if (ofKind.empty())
        ofKind.assign(hasMicroBatch(op.kind) ? cellCount(m_shape) : m_last.size(), -1);
    ofKind[cell(op)] = place.index;
    m_hasTransfers = m_hasTransfers || isTransfer(op.kind);
    if (hasMicroBatch(op.kind) && !replicaOf(op.microBatch))
        m_replica[op.microBatch] = op.replica;
    if (finishesBackward(op.kind)) {
        OpPlace& last = m_last[row(op)];
        if (place.index > last.index)
            last = place;
    }
}

std::optional<OpPlace> OpTable::conflict(const Op& op) const
{
    Op other = op;
    for (const OpKind rival : rivalsOf(op.kind)) {
        other.slice = op.slice;
        if (const auto found = find(other, rival))
            return found;
        if (m_shape.slices == 1 || !hasMicroBatch(op.kind))
            continue;
        const int slices = op.slice == Op::kWhole ? m_shape.slices : 0;
        for (int slice = 0; slice < slices; ++slice) {
            other.slice = slice;
            if (const auto found = find(other, rival))
                return found;
        }
        other.slice = Op::kWhole;
        if (const auto found = find(other, rival))
            return found;
    }
    return std::nullopt;
}

bool OpTable::has(Op op, OpKind kind) const
{
    return find(op, kind).has_value();
}

std::optional<std::uint8_t> OpTable::replicaOf(MicroBatchId microBatch) const
{
    if (!microBatch.isValid())
        return std::nullopt;
    const std::int16_t replica = m_replica[microBatch];
    return replica < 0 ? std::nullopt : std::optional<std::uint8_t>(replica);
}

std::optional<OpPlace> OpTable::find(Op op, OpKind kind) const
{
    op.kind = kind;
    const auto& ofKind = m_index[kind];
    if (ofKind.empty() || ofKind[cell(op)] < 0)
        return std::nullopt;
    return OpPlace{{}, ofKind[cell(op)], op};
}

std::optional<OpPlace> OpTable::maker(const Value& value, OpKind consumer) const
{
    const Op op = opOf(OpKind::Forward, value.stage, value.replica, value.microBatch, value.slice);
    for (const OpKind kind : makersOf(value.kind, consumer))
        if (auto found = find(op, kind))
            return found;
    return std::nullopt;
}

std::optional<OpPlace> OpTable::sourceOn(const Schedule& schedule, const OpPlace& consumer,
                                         const Value& value) const
{
    if (schedule.device(value.replica, value.stage) == consumer.device)
        return maker(value, consumer.op.kind);
    const auto stage = receivingStage(value, m_shape);
    if (!stage)
        return std::nullopt;
    return find(opOf(OpKind::Forward, *stage, value.replica, value.microBatch, value.slice),
                receiveOf(value.kind));
}

std::optional<OpPlace> OpTable::lastContribution(const Op& op) const
{
    const OpPlace& last = m_last[row(op)];
    return last.index < 0 ? std::nullopt : std::optional(last);
}

} // namespace engine
