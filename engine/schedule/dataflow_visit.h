#pragma once

#include "engine/base/attributes.h"
#include "engine/schedule/dataflow.h"

namespace engine {

inline Value valueOf(Value::Kind kind, const Op& op)
{
    return {kind, op.replica, op.slice, op.stage, op.microBatch};
}

inline Value atStage(Value value, int stage)
{
    value.stage = StageId{stage};
    return value;
}

inline Value ofSlice(Value value, int slice)
{
    value.slice = slice;
    return value;
}

// Slices of a sequence depend on each other within a stage: keys and values are passed forward, and
// their gradients backward. Halves of a micro-batch (Chimera) are independent.
inline bool isSequenceSlice(const Op& op)
{
    return op.slice != Op::kWhole && op.flags != OpFlag::Half;
}

// The stash of an op. Both halves of a micro-batch use the stash of the forward, which is not
// divided.
inline Value stashOf(const Op& op)
{
    const Value stash = valueOf(Value::Kind::Stash, op);
    return op.flags == OpFlag::Half ? ofSlice(stash, Op::kWhole) : stash;
}

// consumes() and produces() without building a list. The simulator calls them up to a billion
// times.
template<class Visit>
BS_INLINED void visitConsumed(const Op& op, const Shape& shape, Visit visit)
{
    using Kind = Value::Kind;
    switch (op.kind) {
    case OpKind::Forward:
        if (op.stage.value > 0)
            visit(atStage(valueOf(Kind::Activation, op), op.stage.value - 1));
        if (isSequenceSlice(op) && op.slice > 0)
            visit(ofSlice(valueOf(Kind::Stash, op), op.slice - 1));
        break;
    case OpKind::Backward:
    case OpKind::BackwardInput:
        if (op.stage.value < shape.stages - 1)
            visit(atStage(valueOf(Kind::Gradient, op), op.stage.value + 1));
        visit(stashOf(op));
        if (isSequenceSlice(op) && op.slice + 1 < shape.slices)
            visit(ofSlice(valueOf(Kind::Gradient, op), op.slice + 1));
        break;
    case OpKind::BackwardWeight:
        visit(valueOf(Kind::WeightStash, op));
        break;
    case OpKind::Evict:
    case OpKind::Recompute:
        visit(stashOf(op));
        break;
    case OpKind::Load:
        visit(valueOf(Kind::EvictedStash, op));
        break;
    case OpKind::OptimizerStep:
        if (tiesEmbeddings(op) || shape.replicas * shape.dataParallel > 1)
            visit(atStage(valueOf(Kind::ReducedGradient, op), allReduceStage(op).value));
        break;
    default:
        break;
    }
}

template<class Visit>
BS_INLINED void visitProduced(const Op& op, const Shape& shape, Visit visit)
{
    using Kind = Value::Kind;
    switch (op.kind) {
    case OpKind::Forward:
        if (op.stage.value < shape.stages - 1)
            visit(valueOf(Kind::Activation, op));
        visit(valueOf(Kind::Stash, op));
        break;
    case OpKind::Backward:
    case OpKind::BackwardInput:
        if (op.stage.value > 0 || isSequenceSlice(op))
            visit(valueOf(Kind::Gradient, op));
        if (op.kind == OpKind::BackwardInput)
            visit(valueOf(Kind::WeightStash, op));
        break;
    case OpKind::Evict:
        visit(valueOf(Kind::EvictedStash, op));
        break;
    case OpKind::Load:
    case OpKind::Recompute:
        visit(valueOf(Kind::Stash, op));
        break;
    case OpKind::AllReduce:
        visit(atStage(valueOf(Kind::ReducedGradient, op), allReduceStage(op).value));
        break;
    default:
        break;
    }
}

} // namespace engine
