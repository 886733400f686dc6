#pragma once

#include "engine/schedule/dataflow.h"

#include <optional>
#include <vector>

namespace engine {

// An op and its position in the program of a device; index -1: not found.
struct OpPlace
{
    DeviceId device;
    int index = -1;
    Op op;
};

// Finds ops of a schedule and their positions. An op can only be on the device of its stage, so
// only the index is stored. All arguments must satisfy exists().
class OpTable
{
public:
    explicit OpTable(const Shape& shape);

    void add(const OpPlace& place);
    // The op, added earlier, that does the same work as `op`, or a part of that work.
    std::optional<OpPlace> conflict(const Op& op) const;

    bool has(Op op, OpKind kind) const;
    bool hasAny(OpKind kind) const { return !m_index[kind].empty(); }
    bool hasTransfers() const { return m_hasTransfers; }
    // The direction of the first added op of the micro-batch; nullopt if none was added, or if
    // `microBatch` is invalid (all-reduces and optimizer steps).
    std::optional<std::uint8_t> replicaOf(MicroBatchId microBatch) const;

    // maker() finds the op that produces the value for an op of kind `consumer`. sourceOn() finds
    // the op that makes the value available on the consumer's device: the producer, or the receive.
    std::optional<OpPlace> maker(const Value& value, OpKind consumer) const;
    std::optional<OpPlace> sourceOn(const Schedule& schedule, const OpPlace& consumer,
                                    const Value& value) const;
    // The last op on the device that contributes to the weight gradient of the stage of `op`.
    std::optional<OpPlace> lastContribution(const Op& op) const;

private:
    std::uint32_t row(const Op& op) const { return m_shape.row(op.replica, op.stage); }
    std::uint32_t cell(const Op& op) const; // index of (row, micro-batch, slice)
    std::optional<OpPlace> find(Op op, OpKind kind) const;

    Shape m_shape;
    // Positions by cell, -1 if the op is missing. The list is empty if the schedule has no op of
    // the kind.
    EnumArray<OpKind, std::vector<std::int32_t>, kOpKinds> m_index;
    std::vector<OpPlace> m_last;                    // [row]
    IdVector<MicroBatchId, std::int16_t> m_replica; // -1: unknown
    bool m_hasTransfers = false;
};

} // namespace engine
