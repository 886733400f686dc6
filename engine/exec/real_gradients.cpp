#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/experiment_schedule.h"
#include "engine/exec/gradient_comparison.h"
#include "engine/exec/make_executor.h"
#include "engine/exec/sequential.h"
#include "engine/exec/unit_spec.h"
#include "engine/model/transformer.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>

namespace engine {
namespace {

// Sums inside a micro-batch run differently over slices.
constexpr double kSliceTolerance = 1e-5;

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
    const auto trained = trainable(*schedule, wanted.model);
    if (!trained)
        return tl::unexpected(trained.error());
    const Schedule& lowered = *trained;
    const Shape& shape = lowered.shape;
    if (auto fits = checkModel(wanted.model, shape.stages); !fits)
        return tl::unexpected(fits.error());
    const auto unit = unitSpec(wanted.model, lowered);
    if (!unit)
        return tl::unexpected(unit.error());
    const Kernels<float>& kernels = (*device)->kernels();
    ModelSpec plain = unit->model;
    plain.recompute = Recompute::None; // what is recomputed are the same numbers
    const Transformer<float> whole(plain, 1, kernels);
    const Transformer<float> cut(unit->model, shape.stages, kernels, unit->slices);
    const auto first = firstParameters(cut);

    GradientCheck check{.what = fmt::format("{}, {}, D = {}, N = {}, {}", wanted.model.name,
                                            request.scheme, request.devices, request.microBatches,
                                            modeName(wanted.mode))};
    SequentialTrainer sequential(whole, kernels, wanted.seed, wanted.accumulate);
    std::vector<float> expected; // what devices compare with, several at a time
    Run run;
    run.schedule = lowered;
    const auto executor = makeExecutor(
        {{run.schedule, cut, kernels, wanted.seed, wanted.accumulate}, wanted.mode}, run);
    std::mutex mutex;
    executor->pipeline().observeGradients([&](int, StageId stage, std::span<const float> gradient) {
        const std::size_t begin = first[static_cast<std::size_t>(stage.value)];
        const std::lock_guard lock(mutex);
        compareGradients(std::span(expected).subspan(begin, gradient.size()), gradient, check);
    });
    const TextData data = TextData::builtIn(wanted.seed);
    TokenBatches tokens(wanted.model, shape.microBatches, unit->slices);
    TokenBatches uncut(wanted.model, shape.microBatches);
    const bool sliced = unit->slices > 1;
    check.tolerance = sliced ? kSliceTolerance : 0;
    const int halves = sliced ? 1 : executor->pipeline().plan().units;
    for (int k = 0; k < (sliced ? 1 : wanted.iterations); ++k) {
        tokens.load(data, k);
        uncut.load(data, k);
        const double loss = sequential.accumulate(uncut, shape.microBatches, halves);
        const std::span<const float> sum = sequential.gradients();
        expected.assign(sum.begin(), sum.end());
        if (auto done = executor->iterate(
                {}, tokens, [](auto, auto) {}, false);
            !done)
            return tl::unexpected(done.error());
        check.lossesEqual = check.lossesEqual
            && std::abs(loss - executor->pipeline().loss()) <= check.tolerance * loss;
        sequential.update();
    }
    return check;
}

} // namespace engine
