#include "profiler/whatif/edit_times.h"

#include "engine/cost/cost_model.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

namespace profiler {

using namespace engine;

Samples StageTimes::*samplesOf(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return &StageTimes::forward;
    case OpKind::Backward:
        return &StageTimes::backward;
    case OpKind::BackwardInput:
        return &StageTimes::input;
    case OpKind::BackwardWeight:
        return &StageTimes::weight;
    default:
        return nullptr;
    }
}

Result<void> setMedian(MeasuredTimes& times, StageId stage, OpKind kind, std::int64_t median)
{
    if (!times.stages.has(stage))
        return fail(Error::Code::InvalidArgument,
                    fmt::format("the run has no stage {}; give a stage from 0 to {}", stage.value,
                                times.stages.size() - 1));
    Samples StageTimes::*const samples = samplesOf(kind);
    const std::int64_t measured = samples == nullptr ? 0 : (times.stages[stage].*samples).median();
    if (measured <= 0)
        return fail(
            Error::Code::InvalidArgument,
            fmt::format("the run has no measured {} of stage {}", kindName(kind), stage.value));
    if (median <= 0)
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} ns is not a duration of {}; give a positive one", median,
                                kindName(kind)));
    for (std::int64_t& time : (times.stages[stage].*samples).times)
        time = roundedTicks(static_cast<double>(time) * static_cast<double>(median)
                            / static_cast<double>(measured));
    return {};
}

Result<void> setWeightShare(MeasuredTimes& times, double share)
{
    if (times.backwardIsSplit)
        return fail(Error::Code::InvalidArgument,
                    "the share of W was measured; change the times of I and W instead");
    if (!(share >= 0 && share <= 1))
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} is not a share of W in B; give one from 0 to 1", share));
    times.inputShare = 1 - share;
    for (std::string& assumption : times.assumptions)
        if (assumption == kHalvesAssumed)
            assumption = fmt::format("The run has only B; W is assumed to be {:.1f} % of it.",
                                     100 * share);
    return {};
}

void setTensorParallel(MeasuredTimes& times, double factor)
{
    if (factor == times.tensorParallel)
        return;
    times.tensorParallel = factor;
    times.assumptions.push_back(fmt::format(
        "Ops take {:.4g} of their time on {:.4g} times the GPUs; the communication of tensor "
        "parallelism and the smaller memory per GPU are not predicted.",
        1 / factor, factor));
}

} // namespace profiler
