#pragma once

#include "engine/schedule/schedule.h"

#include <array>
#include <optional>
#include <span>
#include <string>

namespace engine {

// What ops pass to one another. B and I both make the same gradient, so dependencies go
// through values; no code asks "which op comes before this one".
struct Value
{
    enum class Kind : std::uint8_t {
        Activation,      // output of a stage's F; `stage` made it
        Gradient,        // gradient of a stage's input; `stage` made it
        Stash,           // what F keeps for its own B or I
        WeightStash,     // what I keeps for its W
        EvictedStash,    // a stash that EVICT moved to the partner, until LOAD brings it back
        ReducedGradient, // a stage's weight gradient, summed over replicas: from AR to OPT
    };

    Kind kind = Kind::Activation;
    std::uint8_t replica = 0;
    std::uint16_t slice = Op::kWhole;
    StageId stage; // the stage that made it
    MicroBatchId microBatch;

    friend auto operator<=>(const Value&, const Value&) = default;
};

// At most three: a B needs the gradient from the next stage, its own stash and, with sequence
// slices, the gradient of the slice after it.
class Values
{
public:
    void add(const Value& value) { m_values[static_cast<std::size_t>(m_count++)] = value; }
    const Value* begin() const { return m_values.data(); }
    const Value* end() const { return m_values.data() + m_count; }
    int size() const { return m_count; }

private:
    std::array<Value, 3> m_values{};
    int m_count = 0;
};

// The only statement of how a pipeline's data flows (dataflow_visit.h has it without the lists).
// The validator, the simulator, the passes and the executors all ask here. SEND and RECV move a
// value between devices and are not asked: transferredValue() says which one they carry.
Values consumes(const Op& op, const Shape& shape);
Values produces(const Op& op, const Shape& shape);
Value transferredValue(const Op& op, const Shape& shape);

// From which kind of op `consumer` has a value of this kind: the first in the list that the
// schedule has for the value's stage, micro-batch and slice. A stash may be made three times, by F,
// by the LOAD that brings it back and by the RECOMPUTE that rebuilds it, in this order.
std::span<const OpKind> makersOf(Value::Kind value, OpKind consumer);
// The device to which stashes of `device` are evicted, by the rule of BPipe (Kim et al., ICML
// 2023): x and D-1-x are partners. The middle one of an odd number is its own and evicts nothing.
DeviceId stashPartner(DeviceId device, const Shape& shape);

// The neighbouring stage that uses the value: where an activation or a gradient travels to. None
// for values that stay in their stage.
inline std::optional<StageId> receivingStage(const Value& value, const Shape& shape)
{
    if (value.kind == Value::Kind::Activation && value.stage.value + 1 < shape.stages)
        return StageId{value.stage.value + 1};
    if (value.kind == Value::Kind::Gradient && value.stage.value > 0)
        return StageId{value.stage.value - 1};
    return std::nullopt;
}

// Whether stage, micro-batch, replica and slice of the op exist in the shape (a transfer: both its
// ends). Only then may the functions here be asked about it.
bool exists(const Op& op, const Shape& shape);

// One cell for each replica, stage, micro-batch and slice (or whole micro-batch), dense: what the
// op of a micro-batch and its values have in common.
inline std::uint32_t slotCount(const Shape& shape) // of a micro-batch: whole, or slices and whole
{
    return shape.slices > 1 ? static_cast<std::uint32_t>(shape.slices) + 1 : 1;
}
// What has the fields replica, stage, microBatch and slice: an Op or a Value.
template<class Part>
std::uint32_t cellIndex(const Part& part, const Shape& shape)
{
    const std::uint32_t slots = slotCount(shape);
    const std::uint32_t slot = part.slice == Op::kWhole ? slots - 1 : part.slice;
    const auto row = static_cast<std::uint32_t>(part.replica * shape.stages + part.stage.value);
    return (row * static_cast<std::uint32_t>(shape.microBatches)
            + static_cast<std::uint32_t>(part.microBatch.value))
        * slots
        + slot;
}
std::uint32_t cellCount(const Shape& shape);
// Dense, 0 .. valueCount(shape)-1: tables of values are plain vectors. Arithmetic, no hashing.
std::uint32_t valueIndex(const Value& value, const Shape& shape);
std::uint32_t valueCount(const Shape& shape);

// "activation of stage 1, micro-batch 3 (up)": for messages.
std::string describe(const Value& value);

} // namespace engine
