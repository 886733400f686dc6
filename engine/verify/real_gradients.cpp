#include "engine/backend/cpu/cpu_device.h"
#include "engine/base/try.h"
#include "engine/exec/executor.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/plan/token_batches.h"
#include "engine/verify/reference.h"
#include "engine/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace engine {
namespace {

// Sequence slices change the order of sums and so the rounding.
constexpr double sliceTolerance(Precision precision)
{
    switch (precision) {
    case Precision::Bf16:
        return 2e-2;
    case Precision::Tf32:
        return 4e-3;
    case Precision::Fp32:
        break;
    }
    return 1e-5;
}

// Compares the gradients of all updates. Live devices call it concurrently.
class Comparison
{
public:
    Comparison(const GradientReference& reference, const Shape& shape, GradientCheck& check)
        : m_reference(reference)
        , m_shape(shape)
        , m_updates(shape.rows() * shape.dataParallel)
        , m_check(check)
    { }

    void beginIteration() { std::ranges::fill(m_updates, 0); }
    void compare(int replica, StageId stage, std::span<const float> gradient)
    {
        const std::lock_guard lock(m_mutex);
        std::size_t& update = m_updates[m_shape.row(replica, stage)];
        compareGradients(m_reference.gradient(stage, update++), gradient, m_check);
    }

private:
    const GradientReference& m_reference;
    Shape m_shape;
    std::vector<std::size_t> m_updates; // updates in this iteration, by replica and stage
    GradientCheck& m_check;
    std::mutex m_mutex;
};

} // namespace

Result<GradientCheck> checkRealGradients(const ScheduleRequest& request,
                                         const RealModelCheck& wanted)
{
    // The whole stream is trained, because the reference applies the weight versions of all
    // windows.
    const auto order = TRY(buildSchedule(asStream(request, {0, wanted.iterations})));
    return checkRealGradients(order, wanted);
}

Result<GradientCheck> checkRealGradients(const Schedule& order, const RealModelCheck& wanted)
{
    const auto device = TRY(openCpuDevice());
    const auto lowered = TRY(trainable(order, wanted.model, wanted.sync));
    const Shape& shape = lowered.shape;
    TRY(checkModel(wanted.model, shape.stages));
    const auto pass = TRY(passSpec(wanted.model, lowered));
    const Kernels<float>& kernels = device->kernels();
    const auto cut = makeTransformer(pass.model, shape.stages, *device, pass.slices);
    const auto reference
        = TRY(makeReference({lowered, pass, *device, wanted.seed, wanted.accumulate}));

    GradientCheck check{.what
                        = fmt::format("{}, {}, D = {}, N = {}, {}", wanted.model.name, order.scheme,
                                      shape.devices, shape.microBatches, modeName(wanted.mode))};
    Run run;
    run.schedule = lowered;
    const auto executor
        = makeExecutor({.pipeline = {run.schedule, *cut, kernels, wanted.seed, wanted.accumulate},
                        .mode = wanted.mode,
                        .rules = {.blockingAllReduce = wanted.sync == SyncPolicy::EagerBlocking}},
                       run);
    Comparison comparison(*reference, shape, check);
    executor->pipeline().observeGradients(
        [&](int replica, StageId stage, std::span<const float> gradient) {
            comparison.compare(replica, stage, gradient);
        });
    const TextData data = TextData::builtIn(wanted.seed);
    const int microBatches = shape.allMicroBatches() * shape.dataParallel;
    TokenBatches tokens(wanted.model, microBatches, pass.slices);
    TokenBatches uncut(wanted.model, microBatches);
    const bool sliced = pass.slices > 1;
    check.tolerance = sliced ? sliceTolerance(wanted.model.precision) : 0;
    for (int k = 0; k < (sliced || shape.windows > 1 ? 1 : wanted.iterations); ++k) {
        tokens.load(data, k);
        uncut.load(data, k);
        comparison.beginIteration();
        const double loss = reference->train(uncut);
        TRY(executor->iterate(
            {}, tokens, [](auto, auto) {}, false));
        check.lossesEqual = check.lossesEqual
            && std::abs(loss - executor->pipeline().loss()) <= check.tolerance * loss;
    }
    return check;
}

} // namespace engine
