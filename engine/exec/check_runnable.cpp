#include "engine/exec/pipeline_runner.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

namespace engine {
namespace {

bool isRunnable(const Op& op)
{
    switch (op.kind) {
    case OpKind::Forward:
    case OpKind::Backward:
        return op.slice == Op::kWhole && op.flags == OpFlag::None && op.version == 0;
    case OpKind::SendActivation:
    case OpKind::RecvActivation:
    case OpKind::SendGradient:
    case OpKind::RecvGradient:
    case OpKind::AllReduce:
    case OpKind::OptimizerStep:
        return op.slice == Op::kWhole;
    default:
        return false;
    }
}

} // namespace

Result<void> checkRunnable(const Schedule& lowered)
{
    if (lowered.shape.dataParallel > 1)
        return fail(Error::Code::Unsupported,
                    "this version trains with data-parallel width 1: use --data-parallel 1, or "
                    "simulate");
    for (std::size_t d = 0; d < lowered.program.size(); ++d)
        for (std::size_t i = 0; i < lowered.program[d].size(); ++i)
            if (const Op& op = lowered.program[d][i]; !isRunnable(op))
                return fail(Error::Code::Unsupported,
                            fmt::format("device {}, index {}: {} cannot be trained with: this "
                                        "version runs F and B of whole micro-batches, one weight "
                                        "version; simulate the schedule instead",
                                        d, i, toString(op)));
    return {};
}

} // namespace engine
