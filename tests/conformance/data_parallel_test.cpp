#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/executor.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/verify/verify.h"
#include "tests/catch.h"
#include "tests/support/pipelines.h"
#include "tests/support/small_training.h"

#include <algorithm>
#include <map>
#include <mutex>

using namespace engine;

namespace {

ScheduleRequest request(std::string_view scheme, int devices, int microBatches, int copies)
{
    ScheduleRequest wanted = tests::requestOf(std::string(scheme), devices, microBatches);
    wanted.dataParallel = copies;
    return wanted;
}

// Every synchronous scheme, at a size that it accepts.
std::vector<ScheduleRequest> everyScheme(int copies)
{
    std::vector<ScheduleRequest> all;
    for (const Scheme& scheme : schemes())
        for (const auto& [devices, microBatches] : {std::pair{2, 4}, {4, 4}, {1, 3}}) {
            const ScheduleRequest wanted = request(scheme.name, devices, microBatches, copies);
            const auto schedule = buildSchedule(wanted);
            if (schedule && schedule->shape.stages <= tests::narrowModel(8).layers)
                all.push_back(wanted);
        }
    return all;
}

std::string spelled(const ScheduleRequest& wanted, Mode mode)
{
    return wanted.scheme + " D=" + std::to_string(wanted.devices)
        + " W=" + std::to_string(wanted.dataParallel) + " " + std::string(modeName(mode));
}

Run trained(const Experiment& experiment)
{
    auto run = tests::runOf(experiment);
    if (!run)
        FAIL(run.error().message);
    return *std::move(run);
}

Experiment experimentOf(const ScheduleRequest& wanted)
{
    Experiment experiment;
    experiment.schedule = wanted;
    experiment.model = tests::narrowModel(8);
    experiment.accumulate = Accumulate::Exact;
    experiment.iterations = 3;
    experiment.warmup = 0;
    return experiment;
}

} // namespace

TEST_CASE("W copies with N micro-batches each have the gradients of sequential training on W N, "
          "bit for bit, in every synchronous scheme and both modes")
{
    std::size_t proved = 0;
    for (const Mode mode : {Mode::Emulate, Mode::Live})
        for (const ScheduleRequest& wanted : everyScheme(2)) {
            INFO(spelled(wanted, mode));
            const auto integers = checkIntegerProbe(wanted, mode);
            const auto exact
                = checkRealGradients(wanted, {.model = tests::narrowModel(8), .mode = mode});
            if (!integers || !exact)
                FAIL((integers ? exact.error() : integers.error()).message);
            CHECK(integers->bitEqual());
            if (wanted.scheme == "seq1f1b") // within a micro-batch the sums run differently
                CHECK(exact->passed());
            else
                CHECK(exact->bitEqual());
            // Every copy's stages were compared, after every one of two updates.
            const auto schedule = buildSchedule(wanted).value();
            const std::size_t updates = schedule.shape.slices > 1 ? 1 : 2;
            CHECK(exact->compared
                  == 2 * updates * static_cast<std::size_t>(schedule.shape.replicas)
                      * static_cast<std::size_t>(parameterCount(tests::narrowModel(8))));
            ++proved;
        }
    CHECK(proved > 50);
}

TEST_CASE("three copies, and every way in which all-reduces wait, change no bit")
{
    for (const char* scheme : {"1f1b", "interleaved-1f1b", "zb-h1", "bitpipe"})
        for (const SyncPolicy sync :
             {SyncPolicy::Eager, SyncPolicy::Late, SyncPolicy::EagerBlocking})
            for (const Mode mode : {Mode::Emulate, Mode::Live}) {
                const ScheduleRequest wanted = request(scheme, 2, 4, 3);
                INFO(spelled(wanted, mode) << ' ' << syncName(sync));
                const auto check = checkRealGradients(
                    wanted, {.model = tests::narrowModel(8), .mode = mode, .sync = sync});
                if (!check)
                    FAIL(check.error().message);
                CHECK(check->bitEqual());
            }
}

TEST_CASE("a tied head is summed over both ends and all copies, bit for bit")
{
    ModelSpec model = tests::narrowModel(8);
    model.tied = true;
    for (const auto& [scheme, devices] : {std::pair{"1f1b", 4},
                                          {"1f1b", 2},
                                          {"1f1b", 1},
                                          {"interleaved-1f1b", 2},
                                          {"zb-v", 4},
                                          {"bitpipe", 2}})
        for (const SyncPolicy sync :
             {SyncPolicy::Eager, SyncPolicy::Late, SyncPolicy::EagerBlocking})
            for (const Mode mode : {Mode::Emulate, Mode::Live}) {
                const ScheduleRequest wanted = request(scheme, devices, 4, 2);
                INFO(spelled(wanted, mode) << ' ' << syncName(sync));
                const auto check
                    = checkRealGradients(wanted, {.model = model, .mode = mode, .sync = sync});
                if (!check)
                    FAIL(check.error().message);
                CHECK(check->bitEqual());
            }
}

TEST_CASE("in plain float, too, all copies have the same weights after some updates, in both modes")
{
    const auto device = openCpuDevice().value();
    std::vector<float> seen; // in emulation
    for (const Mode mode : {Mode::Emulate, Mode::Live}) {
        Run run;
        run.schedule
            = trainable(buildSchedule(request("bitpipe", 2, 4, 3)).value(), tests::narrowModel(8))
                  .value();
        const Shape& shape = run.schedule.shape;
        const Transformer<float> model(tests::narrowModel(8), shape.stages, device->kernels());
        const auto executor = makeExecutor(
            {.pipeline = {run.schedule, model, device->kernels()}, .mode = mode}, run);
        TokenBatches tokens(tests::narrowModel(8), shape.microBatches * shape.dataParallel);
        for (int k = 0; k < 3; ++k) {
            tokens.load(TextData::builtIn(1), k);
            REQUIRE(executor->iterate(
                {}, tokens, [](auto, auto) {}, false));
        }
        for (StageId s{0}; s.value < shape.stages; ++s.value) {
            const auto first = executor->pipeline().weights(0, s);
            for (int replica = 1; replica < shape.replicas * shape.dataParallel; ++replica)
                CHECK(std::ranges::equal(first, executor->pipeline().weights(replica, s)));
        }
        const auto weights = executor->pipeline().weights(0, StageId{1});
        if (mode == Mode::Emulate)
            seen.assign(weights.begin(), weights.end());
        else
            CHECK(std::ranges::equal(seen, weights));
    }
}

TEST_CASE("a run of W copies learns what one copy learns from W times the micro-batches")
{
    const Run two = trained(experimentOf(request("1f1b", 2, 4, 2)));
    const Run one = trained(experimentOf(request("1f1b", 2, 8, 1)));
    CHECK(tests::lossesOf(two) == tests::lossesOf(one));
    CHECK(two.info.tokensPerIteration == one.info.tokensPerIteration);
    CHECK(two.info.flopsPerIteration == one.info.flopsPerIteration);
    const Iteration &both = two.timeline.iterations.front(), &all = one.timeline.iterations.front();
    CHECK(both.microBatchLoss.size() == 8);
    CHECK(both.microBatchLoss == all.microBatchLoss);
}

TEST_CASE("the timeline is that of the first copy, in both modes")
{
    for (const Mode mode : {Mode::Emulate, Mode::Live}) {
        INFO(modeName(mode));
        Experiment experiment = experimentOf(request("1f1b", 2, 4, 2));
        experiment.mode = mode;
        const Run run = trained(experiment);
        CHECK(run.schedule.shape.dataParallel == 2);
        CHECK(run.schedule.program.size() == 2);
        const auto iterations = static_cast<std::size_t>(run.timeline.iterations.size());
        std::size_t spans = 0;
        for (const Track& track : run.timeline.tracks) {
            CHECK(track.device.value < 2);
            spans += track.spans.size();
        }
        CHECK(spans == iterations * opCount(run.schedule));
        CHECK(run.info.arenas.size() == 2);
        CHECK(run.info.threads == (mode == Mode::Live ? 2 * 2 + 2 : 0)); // and one for each stage
    }
}

TEST_CASE("launches are reported by op for the first copy, and separately for the others")
{
    for (const Mode mode : {Mode::Emulate, Mode::Live}) {
        INFO(modeName(mode));
        Experiment experiment = experimentOf(request("1f1b", 2, 4, 3));
        experiment.mode = mode;
        std::mutex mutex;
        std::map<std::uint32_t, int> reported; // [op]
        int open = 0;
        RunObserver observer;
        observer.launches = {[&](OpOfIteration op) {
                                 const std::lock_guard lock(mutex);
                                 ++reported[op.op];
                                 ++open;
                             },
                             [&] {
                                 const std::lock_guard lock(mutex);
                                 --open;
                             }};
        const auto run = runExperiment(experiment, observer, false);
        REQUIRE(run);
        const int iterations = experiment.warmup + experiment.iterations;
        const auto ops = static_cast<std::uint32_t>(opCount(run->schedule));
        CHECK(reported.size() == ops + 1);
        for (std::uint32_t op = 0; op < ops; ++op)
            CHECK(reported[op] == iterations);
        CHECK(reported[OpOfIteration::kOtherCopy] == 2 * iterations * static_cast<int>(ops));
        CHECK(open == 0);
    }
}

TEST_CASE("an all-reduce between copies takes what a ring over them takes")
{
    Experiment experiment = experimentOf(request("1f1b", 2, 4, 4));
    experiment.link.bytesPerSecond = 1e9;
    experiment.link.latency = Nanoseconds(1000);
    const Run run = trained(experiment);
    const auto device = openCpuDevice().value();
    const Transformer<float> model(tests::narrowModel(8), 2, device->kernels());
    const OpIndex index(run.schedule);
    int reduced = 0;
    for (const Track& track : run.timeline.tracks)
        for (const Span& span : track.spans) {
            const Op& op = opAt(run.schedule, index, span.op);
            if (op.kind != OpKind::AllReduce)
                continue;
            const auto bytes = static_cast<Bytes>(4 * model.sizes(op.stage).parameters);
            CHECK(span.window().duration() == 2 * 3 * (1000 + bytes / 4));
            ++reduced;
        }
    CHECK(reduced == 2 * 4); // three iterations and the replay
}

TEST_CASE("the memory of every copy is counted")
{
    const auto device = openCpuDevice().value();
    const Transformer<float> model(tests::narrowModel(8), 2, device->kernels());
    const auto total = [&](int copies) {
        const Schedule lowered
            = trainable(buildSchedule(request("1f1b", 2, 4, copies)).value(), tests::narrowModel(8))
                  .value();
        return planExecution({lowered, model}).total();
    };
    CHECK(total(3) == 3 * total(1));
}

TEST_CASE("copies of an asynchronous pipeline, and no copy at all, are refused")
{
    const auto errorOf = [](const ScheduleRequest& wanted) {
        const auto run = tests::runOf(experimentOf(wanted));
        return run ? std::string() : run.error().message;
    };
    CHECK(errorOf(request("pipedream", 2, 4, 2)).find("use data-parallel width 1")
          != std::string::npos);
    CHECK(errorOf(request("1f1b", 2, 4, 0))
          == "--data-parallel must be a whole number from 1 to 65535, not '0'");
}
