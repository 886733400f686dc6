#include "engine/schedule/dataflow.h"

#include "engine/base/check.h"
#include "engine/schedule/dataflow_visit.h"

#include <fmt/format.h>

namespace engine {
namespace {

// The kinds from Activation to EvictedStash have one value per cell (cellIndex()).
constexpr int kMicroBatchKinds = 5;

} // namespace

Values consumes(const Op& op, const Shape& shape)
{
    Values values;
    visitConsumed(op, shape, [&values](const Value& value) { values.add(value); });
    return values;
}

Values produces(const Op& op, const Shape& shape)
{
    Values values;
    visitProduced(op, shape, [&values](const Value& value) { values.add(value); });
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

bool exists(const Op& op, const Shape& shape)
{
    const bool ofMicroBatch = hasMicroBatch(op.kind);
    if (op.stage.value < 0 || op.stage.value >= shape.stages || op.replica >= shape.replicas)
        return false;
    if (ofMicroBatch && (op.microBatch.value < 0 || op.microBatch.value >= shape.allMicroBatches()))
        return false;
    if (op.slice != Op::kWhole && (!ofMicroBatch || op.slice >= shape.slices || shape.slices == 1))
        return false;
    if (!isTransfer(op.kind))
        return true;
    const int first = op.kind == OpKind::RecvActivation || op.kind == OpKind::SendGradient ? 1 : 0;
    const int past = shape.stages - (1 - first);
    return op.stage.value >= first && op.stage.value < past;
}

std::uint32_t cellCount(const Shape& shape)
{
    return shape.rows() * shape.allMicroBatches() * slotCount(shape);
}

std::uint32_t valueIndex(const Value& value, const Shape& shape)
{
    if (value.kind == Value::Kind::ReducedGradient)
        return kMicroBatchKinds * cellCount(shape) + shape.row(value.replica, value.stage);
    return static_cast<std::uint32_t>(value.kind) * cellCount(shape) + cellIndex(value, shape);
}

std::uint32_t valueCount(const Shape& shape)
{
    return kMicroBatchKinds * cellCount(shape) + static_cast<std::uint32_t>(shape.rows());
}

std::string describe(const Value& value)
{
    static constexpr EnumArray<Value::Kind, std::string_view, 6> kKinds{
        "activation", "gradient", "stash", "weight stash", "evicted stash", "reduced gradient"};
    std::string text = fmt::format("{} of stage {}", kKinds[value.kind], value.stage.value);
    if (value.microBatch.isValid())
        text += fmt::format(", micro-batch {}", value.microBatch.value);
    if (value.slice != Op::kWhole)
        text += fmt::format(", slice {}", value.slice);
    return text + (value.replica == 0 ? "" : " (up)");
}

} // namespace engine
