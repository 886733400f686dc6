#include "engine/schedule/dataflow.h"

#include "engine/base/check.h"

#include <fmt/format.h>

namespace engine {
namespace {

Value valueOf(Value::Kind kind, const Op& op)
{
    return {kind, op.replica, op.slice, op.stage, op.microBatch};
}

Value atStage(Value value, int stage)
{
    value.stage = StageId{stage};
    return value;
}

Value ofSlice(Value value, int slice)
{
    value.slice = static_cast<std::uint16_t>(slice);
    return value;
}

// Sequence slices pass keys and values forwards and their gradients backwards inside a stage;
// halves of a micro-batch (Chimera) do not know each other.
bool isSequenceSlice(const Op& op)
{
    return op.slice != Op::kWhole && op.flags != OpFlag::Half;
}

// Halves share the stash of their whole forward.
Value stashOf(const Op& op)
{
    const Value stash = valueOf(Value::Kind::Stash, op);
    return op.flags == OpFlag::Half ? ofSlice(stash, Op::kWhole) : stash;
}

void addForwardInputs(Values& values, const Op& op)
{
    if (op.stage.value > 0)
        values.add(atStage(valueOf(Value::Kind::Activation, op), op.stage.value - 1));
    if (isSequenceSlice(op) && op.slice > 0)
        values.add(ofSlice(valueOf(Value::Kind::Stash, op), op.slice - 1));
}

void addBackwardInputs(Values& values, const Op& op, const Shape& shape)
{
    if (op.stage.value < shape.stages - 1)
        values.add(atStage(valueOf(Value::Kind::Gradient, op), op.stage.value + 1));
    values.add(stashOf(op));
    if (isSequenceSlice(op) && op.slice + 1 < shape.slices)
        values.add(ofSlice(valueOf(Value::Kind::Gradient, op), op.slice + 1));
}

// Slots of a micro-batch: whole, or its slices and then whole.
int slotCount(const Shape& shape)
{
    return shape.slices > 1 ? shape.slices + 1 : 1;
}

constexpr int kMicroBatchKinds
    = 5; // Activation .. EvictedStash: one value per micro-batch and slot

std::uint32_t cellIndex(int replica, StageId stage, MicroBatchId microBatch, std::uint16_t slice,
                        const Shape& shape)
{
    const auto slots = static_cast<std::uint32_t>(slotCount(shape));
    const std::uint32_t slot = slice == Op::kWhole ? slots - 1 : slice;
    const auto row = static_cast<std::uint32_t>(replica * shape.stages + stage.value);
    return (row * static_cast<std::uint32_t>(shape.microBatches)
            + static_cast<std::uint32_t>(microBatch.value))
        * slots
        + slot;
}

} // namespace

Values consumes(const Op& op, const Shape& shape)
{
    Values values;
    switch (op.kind) {
    case OpKind::Forward:
        addForwardInputs(values, op);
        break;
    case OpKind::Backward:
    case OpKind::BackwardInput:
        addBackwardInputs(values, op, shape);
        break;
    case OpKind::BackwardWeight:
        values.add(valueOf(Value::Kind::WeightStash, op));
        break;
    case OpKind::Evict:
    case OpKind::Recompute:
        values.add(stashOf(op));
        break;
    case OpKind::Load:
        values.add(valueOf(Value::Kind::EvictedStash, op));
        break;
    case OpKind::OptimizerStep:
        if (shape.replicas * shape.dataParallel > 1)
            values.add(valueOf(Value::Kind::ReducedGradient, op));
        break;
    default:
        break;
    }
    return values;
}

Values produces(const Op& op, const Shape& shape)
{
    Values values;
    switch (op.kind) {
    case OpKind::Forward:
        if (op.stage.value < shape.stages - 1)
            values.add(valueOf(Value::Kind::Activation, op));
        values.add(valueOf(Value::Kind::Stash, op));
        break;
    case OpKind::Backward:
    case OpKind::BackwardInput:
        if (op.stage.value > 0 || isSequenceSlice(op))
            values.add(valueOf(Value::Kind::Gradient, op));
        if (op.kind == OpKind::BackwardInput)
            values.add(valueOf(Value::Kind::WeightStash, op));
        break;
    case OpKind::Evict:
        values.add(valueOf(Value::Kind::EvictedStash, op));
        break;
    case OpKind::Load:
    case OpKind::Recompute:
        values.add(valueOf(Value::Kind::Stash, op));
        break;
    case OpKind::AllReduce:
        values.add(valueOf(Value::Kind::ReducedGradient, op));
        break;
    default:
        break;
    }
    return values;
}

Value transferredValue(const Op& op, const Shape&)
{
    switch (op.kind) {
    case OpKind::SendActivation:
        return valueOf(Value::Kind::Activation, op);
    case OpKind::RecvActivation:
        return atStage(valueOf(Value::Kind::Activation, op), op.stage.value - 1);
    case OpKind::SendGradient:
        return valueOf(Value::Kind::Gradient, op);
    default:
        CHECK(op.kind == OpKind::RecvGradient);
        return atStage(valueOf(Value::Kind::Gradient, op), op.stage.value + 1);
    }
}

std::span<const OpKind> makersOf(Value::Kind value, OpKind consumer)
{
    using enum OpKind;
    static constexpr std::array kForward{Forward}, kEvict{Evict}, kInput{BackwardInput},
        kAllReduce{AllReduce};
    static constexpr std::array kBackward{Backward, BackwardInput};
    static constexpr std::array kStash{Recompute, Load, Forward};
    switch (value) {
    case Value::Kind::Activation:
        return kForward;
    case Value::Kind::Gradient:
        return kBackward;
    case Value::Kind::Stash:
        if (isBackward(consumer))
            return kStash;
        return consumer == Recompute ? std::span(kStash).subspan(1) : kForward;
    case Value::Kind::WeightStash:
        return kInput;
    case Value::Kind::EvictedStash:
        return kEvict;
    default:
        return kAllReduce;
    }
}

DeviceId stashPartner(DeviceId device, const Shape& shape)
{
    return DeviceId{shape.devices - 1 - device.value};
}

std::optional<StageId> receivingStage(const Value& value, const Shape& shape)
{
    if (value.kind == Value::Kind::Activation && value.stage.value + 1 < shape.stages)
        return StageId{value.stage.value + 1};
    if (value.kind == Value::Kind::Gradient && value.stage.value > 0)
        return StageId{value.stage.value - 1};
    return std::nullopt;
}

bool exists(const Op& op, const Shape& shape)
{
    const bool ofMicroBatch = op.kind != OpKind::AllReduce && op.kind != OpKind::OptimizerStep;
    if (op.stage.value < 0 || op.stage.value >= shape.stages || op.replica >= shape.replicas)
        return false;
    if (ofMicroBatch && (op.microBatch.value < 0 || op.microBatch.value >= shape.microBatches))
        return false;
    if (op.slice != Op::kWhole && (!ofMicroBatch || op.slice >= shape.slices || shape.slices == 1))
        return false;
    if (!isTransfer(op.kind))
        return true;
    const int first = op.kind == OpKind::RecvActivation || op.kind == OpKind::SendGradient ? 1 : 0;
    const int past = shape.stages - (1 - first);
    return op.stage.value >= first && op.stage.value < past;
}

std::uint32_t cellIndex(const Op& op, const Shape& shape)
{
    return cellIndex(op.replica, op.stage, op.microBatch, op.slice, shape);
}

std::uint32_t cellCount(const Shape& shape)
{
    return static_cast<std::uint32_t>(shape.replicas) * static_cast<std::uint32_t>(shape.stages)
        * static_cast<std::uint32_t>(shape.microBatches)
        * static_cast<std::uint32_t>(slotCount(shape));
}

std::uint32_t valueIndex(const Value& value, const Shape& shape)
{
    if (value.kind == Value::Kind::ReducedGradient)
        return kMicroBatchKinds * cellCount(shape)
            + static_cast<std::uint32_t>(value.replica * shape.stages + value.stage.value);
    return static_cast<std::uint32_t>(value.kind) * cellCount(shape)
        + cellIndex(value.replica, value.stage, value.microBatch, value.slice, shape);
}

std::uint32_t valueCount(const Shape& shape)
{
    return kMicroBatchKinds * cellCount(shape)
        + static_cast<std::uint32_t>(shape.replicas * shape.stages);
}

std::string describe(const Value& value)
{
    static constexpr std::string_view kKinds[]
        = {"activation", "gradient", "stash", "weight stash", "evicted stash", "reduced gradient"};
    std::string text = fmt::format("{} of stage {}", kKinds[static_cast<std::size_t>(value.kind)],
                                   value.stage.value);
    if (value.microBatch.isValid())
        text += fmt::format(", micro-batch {}", value.microBatch.value);
    if (value.slice != Op::kWhole)
        text += fmt::format(", slice {}", value.slice);
    return text + (value.replica == 0 ? "" : " (up)");
}

} // namespace engine
