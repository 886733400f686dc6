#include "engine/schedule/passes/passes.h"

namespace engine {
namespace {

bool usesActivations(const Op& op)
{
    return op.kind == OpKind::Backward || op.kind == OpKind::BackwardInput;
}

Op recomputeOf(const Op& backward)
{
    Op op = backward;
    op.kind = OpKind::Recompute;
    if (op.flags == OpFlag::JointWithNext)
        op.flags = OpFlag::None;
    return op;
}

} // namespace

Schedule addRecompute(const Schedule& schedule)
{
    Schedule result{schedule.scheme, schedule.shape, schedule.deviceOf, {}};
    for (const auto& ops : schedule.program) {
        auto& out = result.program.emplace_back();
        out.reserve(3 * ops.size() / 2);
        for (std::size_t i = 0; i < ops.size();) {
            const std::size_t end = jointEnd(ops, i);
            for (std::size_t k = i; k < end; ++k)
                if (usesActivations(ops[k]))
                    out.push_back(recomputeOf(ops[k]));
            for (; i < end; ++i)
                out.push_back(ops[i]);
        }
    }
    return result;
}

} // namespace engine
