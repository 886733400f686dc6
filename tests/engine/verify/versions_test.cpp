#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/executor.h"
#include "engine/experiment/check_experiment.h"
#include "engine/model/transformer.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/verify/reference.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"

#include <algorithm>

using namespace engine;
using Catch::Contains;

namespace {

ScheduleRequest request(std::string scheme, int devices, int microBatches)
{
    ScheduleRequest wanted;
    wanted.scheme = std::move(scheme);
    wanted.devices = devices;
    wanted.microBatches = microBatches;
    return wanted;
}

Schedule schedule(std::string scheme, int devices, int microBatches)
{
    return lower(buildSchedule(request(std::move(scheme), devices, microBatches)).value());
}

const std::shared_ptr<const CpuDevice> g_device = openCpuDevice().value();

// A model in stages on an executor, window by window.
struct Training
{
    Training(Schedule lowered, Mode mode, Accumulate accumulate)
        : tokens(tests::narrowModel(8), lowered.shape.allMicroBatches())
        , model(tests::narrowModel(8), lowered.shape.stages, g_device->kernels())
    {
        run.schedule = std::move(lowered);
        Pipeline::Setup setup{run.schedule, model, g_device->kernels(), 1, accumulate};
        setup.poison = Poison::Freed;
        executor = makeExecutor({setup, mode}, run);
    }

    void iterate(int number)
    {
        tokens.load(TextData::builtIn(1), number);
        REQUIRE(executor->iterate(
            {}, tokens, [](auto, auto) {}, false));
    }

    TokenBatches tokens;
    Transformer<float> model;
    Run run;
    std::unique_ptr<Executor> executor;
};

VersionedTrainer reference(const Schedule& lowered, const Transformer<float>& model,
                           Accumulate accumulate)
{
    const Shape& shape = lowered.shape;
    return VersionedTrainer({model, g_device->kernels(), 1, accumulate,
                             versionRule(lowered.scheme, shape.stages, shape.updateEvery),
                             shape.updateEvery});
}

bool isEqual(std::span<const float> a, std::span<const float> b)
{
    return std::ranges::equal(a, b);
}

// The most bytes of weights alive on a device.
Bytes mostWeights(const Timeline& timeline, int device)
{
    Bytes alive = 0, most = 0;
    for (const MemoryEvent& event : timeline.memory)
        if (event.device == device && event.category == MemoryCategory::Weights)
            most = std::max(most, alive += event.bytes);
    return most;
}

} // namespace

TEST_CASE("after windows of PipeDream and 2BW every weight and loss is that of sequential training "
          "with the same versions, bit for bit, in floats and in both modes")
{
    for (const char* scheme : {"pipedream", "pipedream-2bw"})
        for (const auto& [devices, microBatches] :
             {std::pair{1, 3}, {2, 6}, {4, 8}, {4, 16}, {8, 24}})
            for (const Mode mode : {Mode::Emulate, Mode::Live})
                for (const Accumulate accumulate : {Accumulate::Float, Accumulate::Exact}) {
                    INFO(scheme << " D=" << devices << " N=" << microBatches << ' '
                                << modeName(mode));
                    Training training(schedule(scheme, devices, microBatches), mode, accumulate);
                    VersionedTrainer expected
                        = reference(training.run.schedule, training.model, accumulate);
                    for (int k = 0; k < 3; ++k) {
                        training.iterate(k);
                        const double loss = expected.train(training.tokens, microBatches);
                        CHECK(training.executor->pipeline().loss() == loss);
                    }
                    for (int s = 0; s < devices; ++s)
                        CHECK(isEqual(training.executor->pipeline().weights(0, StageId{s}),
                                      expected.weights(StageId{s})));
                }
}

TEST_CASE(
    "after windows of asynchronous BitPipe every weight of both replicas and every loss is that "
    "of sequential training with the versions of 2BW, bit for bit, in both modes")
{
    for (const auto& [devices, microBatches] : {std::pair{2, 4}, {2, 12}, {4, 8}, {4, 24}})
        for (const Mode mode : {Mode::Emulate, Mode::Live}) {
            INFO("D=" << devices << " N=" << microBatches << ' ' << modeName(mode));
            Training training(schedule("bitpipe-async", devices, microBatches), mode,
                              Accumulate::Exact);
            VersionedTrainer expected
                = reference(training.run.schedule, training.model, Accumulate::Exact);
            for (int k = 0; k < 3; ++k) {
                training.iterate(k);
                const double loss = expected.train(training.tokens, microBatches);
                CHECK(training.executor->pipeline().loss() == loss);
            }
            for (int replica = 0; replica < 2; ++replica)
                for (int s = 0; s < 2 * devices; ++s)
                    CHECK(isEqual(training.executor->pipeline().weights(replica, StageId{s}),
                                  expected.weights(StageId{s})));
        }
}

TEST_CASE("versions matter: the weights differ from those of training with the newest ones")
{
    const Schedule lowered = schedule("pipedream", 4, 8);
    Training training(lowered, Mode::Emulate, Accumulate::Float);
    VersionedTrainer fresh({training.model, g_device->kernels(), 1, Accumulate::Float,
                            [](int, int microBatch) { return microBatch; }, 1});
    training.iterate(0);
    fresh.train(training.tokens, 8);
    CHECK_FALSE(
        isEqual(training.executor->pipeline().weights(0, StageId{0}), fresh.weights(StageId{0})));
    // The last stage is never behind, but what it is given is.
    CHECK_FALSE(
        isEqual(training.executor->pipeline().weights(0, StageId{3}), fresh.weights(StageId{3})));
}

TEST_CASE("on one device PipeDream is plain training with an update per micro-batch")
{
    const Transformer<float> model(tests::narrowModel(8), 1, g_device->kernels());
    const Schedule lowered = schedule("pipedream", 1, 4);
    VersionedTrainer versioned = reference(lowered, model, Accumulate::Float);
    SequentialTrainer plain(model, g_device->kernels(), 1, Accumulate::Float);
    TokenBatches window(tests::narrowModel(8), 4), single(tests::narrowModel(8), 1);
    window.load(TextData::builtIn(1), 0);
    versioned.train(window, 4);
    for (int m = 0; m < 4; ++m) {
        const TokenBatch from = window.of(m), to = single.of(0);
        std::ranges::copy(from.inputs, const_cast<std::int32_t*>(to.inputs.data()));
        std::ranges::copy(from.targets, const_cast<std::int32_t*>(to.targets.data()));
        plain.accumulate(single, 1);
        plain.update();
    }
    CHECK(isEqual(versioned.weights(StageId{0}), plain.weights()));
}

TEST_CASE("a window of one update of 2BW is an iteration of 1F1B")
{
    Training twoVersions(schedule("pipedream-2bw", 4, 4), Mode::Emulate, Accumulate::Float);
    Training flushed(schedule("1f1b", 4, 4), Mode::Emulate, Accumulate::Float);
    twoVersions.iterate(0);
    flushed.iterate(0);
    for (int s = 0; s < 4; ++s)
        CHECK(isEqual(twoVersions.executor->pipeline().weights(0, StageId{s}),
                      flushed.executor->pipeline().weights(0, StageId{s})));
}

TEST_CASE("a stream of windows trains like sequential training with the versions of the whole "
          "stream, bit for bit, and its windows have the losses of their micro-batches")
{
    for (const char* scheme : {"pipedream", "pipedream-2bw", "bitpipe-async"})
        for (const Mode mode : {Mode::Emulate, Mode::Live}) {
            INFO(scheme << ' ' << modeName(mode));
            const Schedule stream
                = lower(buildSchedule(asStream(request(scheme, 4, 4), {.warmup = 1, .measured = 3}))
                            .value());
            Training training(stream, mode, Accumulate::Exact);
            training.executor->measuredWindows = 3;
            training.iterate(0);
            const Shape& shape = stream.shape;
            VersionedTrainer expected = reference(stream, training.model, Accumulate::Exact);
            CHECK(expected.train(training.tokens, shape.allMicroBatches())
                  == training.executor->pipeline().loss());
            for (int s = 0; s < shape.stages; ++s)
                CHECK(isEqual(training.executor->pipeline().weights(shape.replicas - 1, StageId{s}),
                              expected.weights(StageId{s})));
            const auto& windows = training.run.timeline.iterations;
            REQUIRE(std::ssize(windows) == shape.windows);
            double sum = 0;
            for (const Iteration& window : windows)
                sum += *window.loss / shape.windows;
            CHECK(sum == Approx(training.executor->pipeline().loss()));
            CHECK(std::ranges::count(windows, Iteration::Kind::Measured, &Iteration::kind) == 3);
            CHECK(windows.back().kind == Iteration::Kind::Warmup);
        }
}

TEST_CASE("the weights alive at most are the versions that the schedule keeps: D - d, or two")
{
    for (const char* scheme : {"pipedream", "pipedream-2bw", "1f1b"}) {
        INFO(scheme);
        Training training(schedule(scheme, 4, 16), Mode::Emulate, Accumulate::Float);
        const auto kept = versionsKept(training.run.schedule);
        CHECK(kept[{0}]
              == (std::string(scheme) == "pipedream"           ? 4
                      : std::string(scheme) == "pipedream-2bw" ? 2
                                                               : 1));
        training.iterate(0);
        training.iterate(1);
        for (int d = 0; d < 4; ++d) {
            const Bytes each = floatBytes(training.model.sizes(StageId{d}).parameters);
            CHECK(mostWeights(training.run.timeline, d) == kept[{d}] * each);
        }
    }
}

TEST_CASE("a window that ends within an update is refused with one that does not")
{
    const auto runnable = checkRunnable(schedule("pipedream-2bw", 4, 10));
    REQUIRE_FALSE(runnable);
    CHECK_THAT(runnable.error().message,
               Contains("the last 2 of 10 micro-batches do not complete an update of 4")
                   && Contains("--micro-batches 12"));
    CHECK(checkRunnable(schedule("pipedream-2bw", 4, 12)));
}

TEST_CASE("a schedule whose versions are wrong is not trained with")
{
    Schedule early = schedule("pipedream", 2, 4);
    for (Op& op : early.program[{0}])
        if (op.microBatch.value == 2)
            op.version = 2; // not made yet when 0F2 runs
    CHECK_THAT(checkRunnable(early).error().message, Contains("uses weight version 2"));

    Schedule other = schedule("1f1b", 2, 4);
    other.program[{1}][1].version = 1;
    CHECK_FALSE(checkRunnable(other));

    Schedule uneven = schedule("pipedream-2bw", 2, 4);
    uneven.shape.updateEvery = 3;
    CHECK_THAT(checkRunnable(uneven).error().message,
               Contains("updates the weights after 2 micro-batches"));
}
