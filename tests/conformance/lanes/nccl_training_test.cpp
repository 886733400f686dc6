// The real model on GPUs of its own, whose gradients NCCL sums: exact accumulation gives the bits
// of copies, floats are added in another order.
#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/cuda/runtime/nccl.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/pipeline/run_devices.h"
#include "engine/plan/token_batches.h"
#include "tests/catch.h"
#include "tests/conformance/lanes/nccl_machine.h"

using namespace engine;
using namespace lanes_test;

namespace {

struct Setting
{
    const char* scheme;
    int copies;
    bool tied;
};

Experiment experimentOf(const Setting& setting)
{
    Experiment experiment;
    experiment.schedule.scheme = setting.scheme;
    experiment.schedule.devices = 2;
    experiment.schedule.microBatches = 4;
    experiment.schedule.dataParallel = setting.copies;
    experiment.model.layers = 4;
    experiment.model.width = 16;
    experiment.model.heads = 4;
    experiment.model.sequence = 8;
    experiment.model.tied = setting.tied;
    return experiment;
}

struct Learned
{
    std::vector<double> losses;
    std::vector<std::vector<float>> gradients; // of the last iteration, by replica and stage

    friend bool operator==(const Learned&, const Learned&) = default;
};

Learned train(const Setting& setting, const Machine& machine, Accumulate accumulate,
              const MakeCommunicators& communicators)
{
    const Experiment experiment = experimentOf(setting);
    Run run;
    run.schedule = engine::scheduleOf(experiment).value();
    const Shape& shape = run.schedule.shape;
    const PassSpec spec = passSpec(experiment.model, run.schedule).value();
    const RunDevices on{machine.devices, Mode::Live, {}, communicators};
    Models models;
    const auto make = [&](const Device& device) {
        return makeTransformer(spec.model, shape.stages, device, spec.slices);
    };
    on.first().bindThread();
    const auto model = make(on.first());
    Pipeline::Setup setup{.lowered = run.schedule,
                          .model = *model,
                          .kernels = on.first().kernels(),
                          .accumulate = accumulate,
                          .tokenBytes = TokenBatches::bytes(experiment.model, shape.microBatches),
                          .poison = Poison::Freed};
    setup.executorDevices = makeExecutorDevices(on, models, make);
    setup.communicators = on.communicators;
    Live live({.pipeline = setup, .patience = std::chrono::milliseconds(20000)}, run);
    Learned trained;
    std::map<std::pair<int, StageId>, std::vector<float>> gradients;
    std::mutex mutex;
    live.pipeline().observeGradients(
        [&](int replica, StageId stage, std::span<const float> gradient) {
            const std::lock_guard lock(mutex);
            gradients[{replica, stage}] = {gradient.begin(), gradient.end()};
        });
    const TextData data = TextData::builtIn(1);
    TokenBatches tokens(experiment.model, shape.microBatches * shape.dataParallel, spec.slices);
    const std::atomic<bool> never{false};
    for (int k = 0; k < 2; ++k) {
        tokens.load(data, k);
        Iteration iteration;
        iteration.number = k;
        const auto done = live.iterate(
            iteration, tokens, [](std::size_t, std::size_t) {}, never);
        if (!done)
            FAIL(done.error().message);
        trained.losses.push_back(run.timeline.iterations.back().loss.value());
    }
    for (auto& [stage, gradient] : gradients)
        trained.gradients.push_back(std::move(gradient));
    return trained;
}

} // namespace

TEST_CASE("a model trains by NCCL as by copies: integers bit for bit, floats nearly")
{
    const auto setting = GENERATE(Setting{"1f1b", 2, true}, Setting{"1f1b", 1, true},
                                  Setting{"chimera", 2, false});
    INFO(setting.scheme << " " << setting.copies << (setting.tied ? " tied" : ""));
    const Machine machine(2 * setting.copies);
    CHECK(train(setting, machine, Accumulate::Exact, byNccl())
          == train(setting, machine, Accumulate::Exact, {}));
    const Learned floats = train(setting, machine, Accumulate::Float, byNccl());
    const Learned copied = train(setting, machine, Accumulate::Float, {});
    for (std::size_t k = 0; k < floats.losses.size(); ++k)
        CHECK(floats.losses[k] == Approx(copied.losses[k]).epsilon(1e-5));
}
