#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/check_runnable.h"
#include "engine/exec/execution_order.h"
#include "engine/exec/gradient_comparison.h"
#include "engine/exec/op_costs.h"
#include "engine/exec/sequential.h"
#include "engine/model/transformer.h"
#include "engine/schedule/passes.h"

#include <fmt/format.h>

namespace engine {
namespace {

// Where each stage's parameters begin in the whole model's, which are in the same order.
std::vector<std::size_t> firstParameters(const PipelineModel<float>& model)
{
    std::vector<std::size_t> first{0};
    for (int s = 0; s < model.stages(); ++s)
        first.push_back(first.back() + model.sizes(StageId{s}).parameters);
    return first;
}

} // namespace

Result<GradientCheck> checkRealGradients(const ScheduleRequest& request,
                                         const RealModelCheck& wanted)
{
    auto schedule = buildSchedule(request);
    const auto device = openCpuDevice();
    if (!schedule || !device)
        return tl::unexpected(schedule ? device.error() : schedule.error());
    const Schedule lowered = lower(*schedule);
    const Shape& shape = lowered.shape;
    for (const auto& result : {checkRunnable(lowered), checkModel(wanted.model, shape.stages)})
        if (!result)
            return tl::unexpected(result.error());

    const Kernels<float>& kernels = (*device)->kernels();
    const Transformer<float> whole(wanted.model, 1, kernels);
    const Transformer<float> cut(wanted.model, shape.stages, kernels);
    const auto order = executionOrder(lowered, estimatedCosts({lowered, cut, {}}));
    if (!order)
        return tl::unexpected(order.error());
    const auto first = firstParameters(cut);

    GradientCheck check{.what = fmt::format("{}, {}, D = {}, N = {}", wanted.model.name,
                                            request.scheme, request.devices, request.microBatches)};
    SequentialTrainer sequential(whole, kernels, wanted.seed, wanted.accumulate);
    PipelineRunner runner({lowered, cut, kernels, wanted.seed, wanted.accumulate});
    runner.onGradient = [&](int, StageId stage, std::span<const float> gradient) {
        const std::size_t begin = first[static_cast<std::size_t>(stage.value)];
        compareGradients(sequential.gradients().subspan(begin, gradient.size()), gradient, check);
    };
    const TextData data = TextData::builtIn(wanted.seed);
    TokenBatches tokens(wanted.model, shape.microBatches);
    for (int k = 0; k < wanted.iterations; ++k) {
        tokens.load(data, k);
        const double loss = sequential.accumulate(tokens, shape.microBatches);
        runner.beginIteration(tokens);
        for (const OpRef ref : *order)
            runner.run(ref);
        check.lossesEqual = check.lossesEqual && loss == runner.loss();
        sequential.update();
    }
    return check;
}

} // namespace engine
