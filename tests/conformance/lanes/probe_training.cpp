#include "tests/conformance/lanes/probe_training.h"

#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/emulation.h"
#include "engine/pipeline/run_devices.h"
#include "engine/plan/stash_plan.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "tests/catch.h"

#include <mutex>

namespace lanes_test {

using namespace engine;

namespace {

constexpr ProbeModel::Size kWhole;

ProbeModel::Size unitSize(const Schedule& lowered)
{
    ProbeModel::Size size = kWhole;
    size.rows /= unitsPerMicroBatch(lowered);
    return size;
}

ScheduleRequest requestOf(const std::string& scheme, int devices, int microBatches, int copies = 1)
{
    ScheduleRequest request;
    request.scheme = scheme;
    request.devices = devices;
    request.microBatches = microBatches;
    request.dataParallel = copies;
    return request;
}

ModelSpec tokenShape()
{
    ModelSpec shape;
    shape.microBatchSize = 1;
    shape.sequence = kWhole.rows;
    return shape;
}

void train(Executor& executor, const LiveOptions& options, Trained& trained)
{
    const std::atomic<bool> never{false};
    std::mutex mutex; // live devices tell at the same time
    if (options.observes)
        executor.pipeline().observeGradients(
            [&](int replica, StageId stage, std::span<const float> gradient) {
                const std::lock_guard lock(mutex);
                trained.gradients[{replica, stage}].emplace_back(gradient.begin(), gradient.end());
            });
    const Shape& shape = executor.pipeline().lowered().shape;
    TokenBatches tokens(tokenShape(), shape.microBatches * shape.dataParallel);
    const TextData data = TextData::builtIn(1);
    for (int k = 0; k < options.iterations && trained.result; ++k) {
        tokens.load(data, k);
        if (options.begun)
            options.begun(k);
        Iteration iteration;
        iteration.number = k;
        iteration.kind = k < options.warmup ? Iteration::Kind::Warmup : Iteration::Kind::Measured;
        trained.result = executor.iterate(
            iteration, tokens, [](std::size_t, std::size_t) {},
            options.cancel != nullptr ? *options.cancel : never);
    }
    executor.addTo(trained.run.info);
}

} // namespace

Schedule scheduleOf(const std::string& scheme, int devices, int microBatches, int copies)
{
    return lower(buildSchedule(requestOf(scheme, devices, microBatches, copies)).value());
}

void forEachScheme(int devices, int microBatches,
                   const std::function<void(const Schedule& lowered)>& check)
{
    std::size_t checked = 0;
    for (const Scheme& scheme : schemes()) {
        const auto built
            = buildSchedule(requestOf(std::string(scheme.name), devices, microBatches));
        if (!built)
            continue; // it has another D or N
        INFO(scheme.name);
        check(lower(*built));
        ++checked;
    }
    CHECK(checked > 10);
}

Trained trainLive(const Schedule& lowered, const Devices& devices, const LiveOptions& options)
{
    Trained trained;
    trained.run.schedule = lowered;
    const RunDevices on{devices, Mode::Live, {}};
    on.first().bindThread();
    const ProbeModel model(lowered.shape.stages, unitSize(lowered), on.first().kernels());
    Models models;
    Pipeline::Setup setup{.lowered = trained.run.schedule,
                          .model = model,
                          .kernels = on.first().kernels(),
                          .tokenBytes
                          = TokenBatches::bytes(tokenShape(), lowered.shape.microBatches),
                          .poison = Poison::Freed};
    setup.executorDevices = makeExecutorDevices(on, models, [&](const Device& device) {
        return std::make_unique<const ProbeModel>(lowered.shape.stages, unitSize(lowered),
                                                  device.kernels());
    });
    setup.graphs = options.graphs;
    setup.communicators = options.communicators;
    Live live({.pipeline = setup, .hooks = options.hooks, .patience = options.patience},
              trained.run);
    if (options.wrapper)
        live.pipeline().wrapTransport(options.wrapper);
    if (options.made)
        options.made(live.pipeline().plan());
    train(live, options, trained);
    trained.devicesWereLost = live.devicesAreLost();
    if (options.ended)
        options.ended(live.pipeline().plan());
    return trained;
}

Trained emulate(const Schedule& lowered, const Device* gpu, const LiveOptions& options)
{
    Trained trained;
    trained.run.schedule = lowered;
    const auto cpu = openCpuDevice().value();
    const Kernels<float>& kernels = gpu != nullptr ? gpu->kernels() : cpu->kernels();
    if (gpu != nullptr)
        gpu->bindThread();
    const ProbeModel model(lowered.shape.stages, unitSize(lowered), kernels);
    Pipeline::Setup setup{trained.run.schedule, model, kernels};
    if (gpu != nullptr)
        setup.tokenBytes = TokenBatches::bytes(tokenShape(), lowered.shape.microBatches);
    setup.device = gpu;
    setup.graphs = options.graphs;
    Emulation emulation({.pipeline = setup, .hooks = options.hooks, .patience = options.patience},
                        trained.run);
    train(emulation, options, trained);
    trained.devicesWereLost = emulation.devicesAreLost();
    if (options.ended)
        options.ended(emulation.pipeline().plan());
    return trained;
}

} // namespace lanes_test
