#pragma once

#include "engine/schedule/schedule.h"

#include <array>
#include <optional>
#include <span>
#include <string>

namespace engine {

// A result that one op passes to another. Dependencies refer to values and not to ops, because B
// and I produce the same gradient.
struct Value
{
    enum class Kind : std::uint8_t {
        Activation,      // output of a stage's F; `stage` produces it
        Gradient,        // gradient of a stage's input; `stage` produces it
        Stash,           // activations that F keeps for its B or I
        WeightStash,     // tensors that op I keeps for its W
        EvictedStash,    // a stash on the partner device or the host, from EVICT to LOAD
        ReducedGradient, // a stage's weight gradient, summed over replicas: from AR to OPT
    };

    Kind kind = Kind::Activation;
    std::uint8_t replica = 0;
    std::uint16_t slice = Op::kWhole;
    StageId stage;
    MicroBatchId microBatch; // none for ReducedGradient

    friend auto operator<=>(const Value&, const Value&) = default;
};

// The values that an op consumes or produces, at most three. A B, for example, needs the gradient
// of the next stage, its own stash and, with sequence slices, the gradient of the next slice.
class Values
{
public:
    void add(const Value& value) { m_values[m_count++] = value; }
    const Value* begin() const { return m_values.data(); }
    const Value* end() const { return m_values.data() + m_count; }
    int size() const { return m_count; }

private:
    std::array<Value, 3> m_values{};
    int m_count = 0;
};

// The data flow of a pipeline, for validator, simulator, passes and executors (dataflow_visit.h has
// versions without lists). consumes() and produces() are empty for SEND and RECV;
// transferredValue() returns the value that a SEND or RECV moves.
Values consumes(const Op& op, const Shape& shape);
Values produces(const Op& op, const Shape& shape);
Value transferredValue(const Op& op, const Shape& shape);

// The kinds of op that can produce a value for an op of kind `consumer`. F, LOAD and RECOMPUTE may
// all produce the same stash: if several such ops exist for the stage, micro-batch and slice of the
// value, the op of the first kind in the returned list is the producer.
std::span<const OpKind> makersOf(Value::Kind value, OpKind consumer);
// The device to which `device` evicts stashes. By the rule of BPipe (Kim et al., ICML 2023), x
// and D-1-x are partners. The middle one of an odd number of devices has no partner and evicts
// nothing.
DeviceId stashPartner(DeviceId device, const Shape& shape);

// The neighbouring stage that receives an activation or a gradient; nullopt for other values.
inline std::optional<StageId> receivingStage(const Value& value, const Shape& shape)
{
    if (value.kind == Value::Kind::Activation && value.stage.value + 1 < shape.stages)
        return StageId{value.stage.value + 1};
    if (value.kind == Value::Kind::Gradient && value.stage.value > 0)
        return StageId{value.stage.value - 1};
    return std::nullopt;
}

// Whether stage, micro-batch, replica and slice of the op are within the shape (for a transfer, at
// both ends). All other functions of this header require exists().
bool exists(const Op& op, const Shape& shape);

// A cell is a combination of replica, stage, micro-batch and slot. The slots of a micro-batch are
// its slices and, as the last one, the whole micro-batch. Cells have dense indices.
inline std::uint32_t slotCount(const Shape& shape)
{
    return shape.slices > 1 ? shape.slices + 1 : 1;
}
// `Part` is an Op or a Value.
template<class Part>
std::uint32_t cellIndex(const Part& part, const Shape& shape)
{
    const std::uint32_t slots = slotCount(shape);
    const std::uint32_t slot = part.slice == Op::kWhole ? slots - 1 : part.slice;
    return (shape.row(part.replica, part.stage) * shape.allMicroBatches() + part.microBatch.value)
        * slots
        + slot;
}
std::uint32_t cellCount(const Shape& shape);
// Values are numbered densely from 0 to valueCount(shape) - 1, so tables of values are plain
// vectors.
std::uint32_t valueIndex(const Value& value, const Shape& shape);
std::uint32_t valueCount(const Shape& shape);

// A value in a message for the user: "activation of stage 1, micro-batch 3 (up)".
std::string describe(const Value& value);

} // namespace engine
