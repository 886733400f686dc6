#pragma once

#include "engine/schedule/dataflow.h"

#include <optional>
#include <vector>

namespace engine {

// An op and where it stands; index -1: nowhere.
struct OpPlace
{
    DeviceId device;
    int index = -1;
    Op op;
};

// Which ops a schedule has, and where: what the validator looks things up in. Every op stands on
// the device of its stage, so an index says where it is. Asked only about ops that exist().
class OpTable
{
public:
    explicit OpTable(const Shape& shape);

    void add(const OpPlace& place);
    // An op that was added and does the same work, or a part of it.
    std::optional<OpPlace> conflict(const Op& op) const;

    bool has(Op op, OpKind kind) const;
    bool hasAny(OpKind kind) const { return m_any[static_cast<std::size_t>(kind)]; }
    bool hasTransfers() const { return m_hasTransfers; }
    // The direction of the micro-batch's first op; none before it, nor for all-reduces and steps.
    std::optional<std::uint8_t> replicaOf(MicroBatchId microBatch) const;

    // The op from which one of kind `consumer` has the value; the one through which it comes to
    // `device`: its maker there, or the receive.
    std::optional<OpPlace> maker(const Value& value, OpKind consumer) const;
    std::optional<OpPlace> sourceOn(const Schedule& schedule, const OpPlace& consumer,
                                    const Value& value) const;
    // The last op of the device that adds to the gradient of op's stage.
    std::optional<OpPlace> lastContribution(const Op& op) const;

private:
    std::size_t row(const Op& op) const;  // replica, stage
    std::size_t cell(const Op& op) const; // and micro-batch and slice, if it has them
    std::optional<OpPlace> find(Op op, OpKind kind) const;

    Shape m_shape;
    std::vector<std::vector<std::int32_t>> m_index; // [kind][cell], -1: not there; empty: none is
    std::vector<OpPlace> m_last;                    // [replica x stage]
    std::vector<std::int16_t> m_replica;            // [micro-batch], -1: not known
    std::vector<bool> m_any;                        // [kind]
    bool m_hasTransfers = false;
};

} // namespace engine
