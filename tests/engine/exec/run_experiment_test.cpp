#include "engine/base/clock.h"
#include "engine/cost/cost_model.h"
#include "engine/exec/executor.h"
#include "engine/exec/op_costs.h"
#include "engine/exec/run_experiment.h"
#include "engine/experiment/check_experiment.h"
#include "engine/schedule/formats/schedule_file.h"
#include "tests/catch.h"
#include "tests/support/small_training.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

using Catch::Contains;
using Catch::StartsWith;
using namespace engine;

namespace {

Experiment miniature(std::string scheme, int devices = 4, int microBatches = 4)
{
    Experiment experiment;
    experiment.schedule.scheme = std::move(scheme);
    experiment.schedule.devices = devices;
    experiment.schedule.microBatches = microBatches;
    experiment.model = tests::narrowModel(8);
    experiment.iterations = 3;
    experiment.warmup = 1;
    return experiment;
}

std::string message(const Experiment& experiment)
{
    const auto result = tests::runOf(experiment);
    return result ? "" : result.error().message;
}

} // namespace

TEST_CASE("a run has its warm-up, its measured iterations, and typical ops last")
{
    const auto result = tests::runOf(miniature("bitpipe"));
    REQUIRE(result);
    using Kind = Iteration::Kind;
    std::vector<std::pair<Kind, int>> kinds;
    for (const Iteration& iteration : result->timeline.iterations)
        kinds.emplace_back(iteration.kind, iteration.number);
    CHECK(kinds
          == std::vector<std::pair<Kind, int>>{{Kind::Warmup, 0},
                                               {Kind::Measured, 0},
                                               {Kind::Measured, 1},
                                               {Kind::Measured, 2},
                                               {Kind::Replay, 0}});
    CHECK(result->timeline.iterations[reportedIteration(result->timeline)].kind == Kind::Measured);
    CHECK_FALSE(result->timeline.iterations.back().loss);
    CHECK(result->timeline.iterations.front().microBatchLoss.size() == 4);
    std::size_t spans = 0;
    for (const Track& track : result->timeline.tracks)
        spans += track.spans.size();
    CHECK(spans == 5 * opCount(result->schedule));
}

TEST_CASE("in the replay every op takes the median of its measured durations")
{
    for (const int iterations : {1, 2, 3, 4}) {
        INFO(iterations << " measured iterations");
        Experiment experiment = miniature("gpipe");
        experiment.iterations = iterations;
        const auto result = tests::runOf(experiment);
        REQUIRE(result);
        const auto replay = result->timeline.iterations.size() - 1;
        std::map<std::uint32_t, std::vector<std::int64_t>> measured;
        std::map<std::uint32_t, std::int64_t> replayed;
        for (const Track& track : result->timeline.tracks)
            for (const Span& span : track.spans)
                if (span.iteration == replay)
                    replayed[span.op] = span.window().duration();
                else if (span.iteration >= 1) // after the warm-up
                    measured[span.op].push_back(span.window().duration());
        for (auto& [op, durations] : measured) {
            std::ranges::sort(durations);
            const auto half = durations.size() / 2;
            CHECK(replayed[op]
                  == (durations.size() % 2 == 1 ? durations[half]
                                                : (durations[half - 1] + durations[half]) / 2));
        }
    }
}

TEST_CASE("RunInfo has the origin of a run and the meaning of its numbers")
{
    const auto result = tests::runOf(miniature("1f1b"));
    REQUIRE(result);
    const RunInfo& info = result->info;
    CHECK(info.scheme == "1f1b");
    CHECK(info.label == "1F1B"); // the title without its aliases
    CHECK(info.mode == Mode::Emulate);
    CHECK(info.outcome == Outcome::Finished);
    // OPENBLAS_CORETYPE doubled the times of a run, and a comparison named no difference.
    CHECK(info.deviceName.ends_with(" kernels, 1 BLAS thread"));
    CHECK(info.timing == "thread CPU clock");
    CHECK(info.link == "free");
    CHECK(info.tokensPerIteration == 4 * 2 * 16);
    CHECK(info.flopsPerIteration == flopsPerIteration(miniature("1f1b").model, 4));
    CHECK(info.executedFlops == info.flopsPerIteration); // nothing is recomputed
    CHECK(info.plannedWarmup == 1);
    CHECK(info.plannedIterations == 3);
    CHECK(*info.entropyRate < *info.unigramEntropy);
    CHECK(info.started.size() == std::string("2026-01-31T12:00:00Z").size());
    CHECK(experimentFromToml(info.experiment) == miniature("1f1b"));
}

TEST_CASE("with exact accumulation the losses of every scheme are the same numbers")
{
    Experiment experiment = miniature("gpipe", 1);
    experiment.accumulate = Accumulate::Exact;
    const auto sequential = tests::runOf(experiment);
    REQUIRE(sequential);
    for (const char* scheme : {"gpipe", "1f1b", "bitpipe"}) {
        INFO(scheme);
        experiment.schedule.scheme = scheme;
        experiment.schedule.devices = 4;
        const auto piped = tests::runOf(experiment);
        REQUIRE(piped);
        CHECK(tests::lossesOf(*piped) == tests::lossesOf(*sequential));
    }
}

TEST_CASE("in plain float the losses of the schemes agree iteration by iteration, to rounding")
{
    const auto sequential = tests::runOf(miniature("gpipe", 1, 8));
    REQUIRE(sequential);
    for (const char* scheme : {"gpipe", "1f1b", "bitpipe"}) {
        INFO(scheme);
        const auto piped = tests::runOf(miniature(scheme, 4, 8));
        REQUIRE(piped);
        REQUIRE(tests::lossesOf(*piped).size() == 4);
        for (std::size_t k = 0; k < 4; ++k)
            CHECK(tests::lossesOf(*piped)[k]
                  == Approx(tests::lossesOf(*sequential)[k]).epsilon(1e-5));
    }
}

TEST_CASE("the loss of tiny falls by 1.8 nats in 60 iterations and 0.3 below its unigrams' in 150")
{
    Experiment experiment;
    experiment.schedule.microBatches = 4;
    experiment.iterations = 148;
    const auto result = tests::runOf(experiment);
    REQUIRE(result);
    const std::vector<double> loss = tests::lossesOf(*result);
    REQUIRE(loss.size() == 150);
    CHECK(loss[0] - loss[59] > 1.8);
    CHECK(loss[149] < *result->info.unigramEntropy - 0.3);
    CHECK(loss[149] > *result->info.entropyRate);
}

TEST_CASE("the observer receives the start, the op timings and each placed iteration")
{
    std::vector<std::string> told;
    std::map<std::uint32_t, std::size_t> opsMeasured;
    std::size_t memoryReported = 0;
    RunObserver observer;
    observer.started = [&](const Run& run) {
        told.emplace_back("started");
        CHECK(run.timeline.iterations.empty());
        CHECK(opCount(run.schedule) > 0);
        return Result<void>();
    };
    observer.timed = [&](std::span<const OpTiming> timings) {
        for (const OpTiming& timing : timings) {
            ++opsMeasured[timing.iteration];
            CHECK(timing.opTime > 0);
            CHECK(timing.wallEnd >= timing.wallBegin);
        }
    };
    observer.iteration = [&](const Run& run, std::size_t firstMemory) {
        told.emplace_back("iteration");
        CHECK(firstMemory == memoryReported);
        memoryReported = run.timeline.memory.size();
        return Result<void>();
    };
    const auto result = tests::runOf(miniature("gpipe"), observer);
    REQUIRE(result);
    CHECK(told
          == std::vector<std::string>{"started", "iteration", "iteration", "iteration", "iteration",
                                      "iteration"});
    CHECK(opsMeasured.size() == 4);
    for (const auto& [iteration, ops] : opsMeasured)
        CHECK(ops == 4 * 4 * 2 + 4); // F and B of every stage and micro-batch, OPT of every stage
    CHECK(memoryReported == result->timeline.memory.size());
}

TEST_CASE("an observer that fails stops the run with its error")
{
    RunObserver observer;
    observer.iteration = [](const Run&, std::size_t) -> Result<void> {
        return fail(Error::Code::Io, "the disk is full");
    };
    CHECK(tests::runOf(miniature("gpipe"), observer).error()
          == Error{Error::Code::Io, "the disk is full"});
}

TEST_CASE("a cancelled run keeps whole iterations and replays what was measured")
{
    std::atomic<bool> cancel{false};
    std::size_t iterations = 0;
    Iteration last;
    RunObserver observer;
    observer.iteration = [&](const Run& run, std::size_t) {
        iterations = run.timeline.iterations.size();
        last = run.timeline.iterations.back();
        cancel = iterations == 2;
        return Result<void>();
    };
    const auto result = runExperiment(miniature("bitpipe"), observer, cancel);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Error::Code::Cancelled);
    CHECK(iterations == 3);
    CHECK(last.kind == Iteration::Kind::Replay);
}

TEST_CASE("errors of a run say what to do")
{
    Experiment experiment = miniature("bitpipe");
    experiment.model.layers = 6;
    CHECK(message(experiment)
          == "6 layers cannot be divided into 8 stages: use --layers 8 or more, or fewer devices "
             "or chunks");

    experiment = miniature("1f1b");
    experiment.textFile = "/nowhere/book.txt";
    CHECK(message(experiment)
          == "--text: cannot read /nowhere/book.txt: No such file or directory; check the path");

    experiment = miniature("1f1b");
    experiment.scheduleFile = "/nowhere/schedule.csv";
    CHECK(message(experiment)
          == "cannot read /nowhere/schedule.csv: No such file or directory; check the path");

    experiment = miniature("1f1b");
    experiment.model.width = 8192;
    experiment.model.layers = 4096;
    CHECK_THAT(message(experiment),
               StartsWith("this run needs ") && Contains("use a smaller model"));

    experiment = miniature("1f1b", 4, 100'000);
    experiment.iterations = 100'000;
    CHECK_THAT(message(experiment),
               StartsWith("100000 micro-batches on 4 devices") && Contains("fewer --iterations"));

    experiment = miniature("seq1f1b");
    experiment.model.recompute = Recompute::Full;
    CHECK_THAT(message(experiment),
               StartsWith("sequence slices read activations that full recomputation frees"));

    experiment = miniature("pipedream");
    experiment.model.tied = true;
    CHECK_THAT(message(experiment),
               StartsWith("asynchronous schemes cannot train tied embeddings"));

    experiment = miniature("1f1b");
    experiment.mode = Mode::Simulate;
    CHECK(message(experiment) == "mode 'simulate' cannot be run: use --mode emulate or live");

    experiment = miniature("chimera");
    experiment.schedule.options["concat"] = "halving";
    experiment.model.microBatchSize = 3;
    CHECK(message(experiment)
          == "chimera splits micro-batches into halves, but 3 samples cannot be halved: use "
             "--micro-batch-size 4");

    experiment = miniature("seq1f1b");
    experiment.schedule.options["slices"] = "3";
    CHECK(message(experiment)
          == "3 slices do not divide a sequence of 16 tokens evenly: use --sequence 18");
}

// A slice never saw the later slices of its sequence, and the run trained another function.
TEST_CASE("BERT and ViT train with halves of micro-batches but not with sequence slices")
{
    Experiment experiment = miniature("seq1f1b");
    experiment.model.family = GENERATE(Family::Bert, Family::Vit);
    experiment.model.patch = experiment.model.family == Family::Vit ? 2 : 0;
    experiment.model.vocabulary = 257;
    CHECK_THAT(message(experiment), StartsWith("bidirectional attention needs whole sequences"));

    experiment.schedule.scheme = "chimera";
    experiment.schedule.options["concat"] = "halving";
    CHECK(message(experiment).empty());
}

TEST_CASE("a ViT learns the classes of generated images, and takes no text")
{
    Experiment experiment = miniature("1f1b", 2, 8);
    experiment.model.family = Family::Vit;
    experiment.model.patch = 4;
    experiment.model.vocabulary = 10;
    experiment.model.initStd = 0.05;
    experiment.model.learningRate = 1e-2;
    experiment.iterations = 60;
    const auto run = tests::runOf(experiment);
    REQUIRE(run);
    CHECK(tests::lossesOf(*run).front() == Approx(std::log(10)).epsilon(0.05));
    CHECK(tests::lossesOf(*run).back() < 0.5 * std::log(10));
    CHECK(run->info.tokensPerIteration == 8 * 2 * 16); // a token is a patch
    CHECK_FALSE(run->info.unigramEntropy);
    experiment.textFile = "sample";
    CHECK_THAT(message(experiment), StartsWith("--text: "));
}

TEST_CASE("a schedule from a file trains like the scheme that wrote it")
{
    const tests::TemporaryFolder folder;
    const auto file = folder / "schedule.csv";
    Experiment experiment = miniature("1f1b");
    std::ofstream(file) << writeCsv(buildSchedule(experiment.schedule).value());
    const auto fromScheme = tests::runOf(experiment);
    experiment.scheduleFile = file.string();
    const auto fromFile = tests::runOf(experiment);
    REQUIRE(fromScheme);
    if (!fromFile)
        FAIL(fromFile.error().message);
    CHECK(fromFile->schedule.program == fromScheme->schedule.program);
    CHECK(tests::lossesOf(*fromFile) == tests::lossesOf(*fromScheme));
    CHECK(fromFile->info.scheme == "file");
    CHECK(fromFile->info.label == "schedule.csv");
}

TEST_CASE("a device without ops is idle while the others train")
{
    const tests::TemporaryFolder folder;
    const auto file = folder / "schedule.csv";
    std::ofstream(file) << ",\n0F0,0B0,0F1,0B1\n"; // the second device has the only stage
    Experiment experiment = miniature("gpipe");
    experiment.scheduleFile = file.string();
    const auto run = tests::runOf(experiment);
    if (!run)
        FAIL(run.error().message);
    CHECK(run->schedule.on({0}).empty());
    CHECK(tests::lossesOf(*run).back() < tests::lossesOf(*run).front());
}

TEST_CASE("asynchronous schemes train, from their scheme or from a file, and the loss falls")
{
    for (const std::string scheme : {"pipedream", "pipedream-2bw"}) {
        INFO(scheme);
        Experiment experiment = miniature(scheme);
        experiment.schedule.microBatches = 16; // enough for a file to tell the updates
        experiment.iterations = 6;
        const auto fromScheme = tests::runOf(experiment);
        if (!fromScheme)
            FAIL(fromScheme.error().message);
        const tests::TemporaryFolder folder;
        const auto file = folder / "window.csv";
        std::ofstream(file) << writeCsv(buildSchedule(experiment.schedule).value());
        experiment.scheduleFile = file.string();
        const auto fromFile = tests::runOf(experiment);
        if (!fromFile)
            FAIL(fromFile.error().message);
        // A file is a window that drains; its first one has the same versions.
        CHECK(tests::lossesOf(*fromFile).front()
              == Approx(tests::lossesOf(*fromScheme).front()).epsilon(1e-6));
        CHECK(tests::lossesOf(*fromFile).back() < tests::lossesOf(*fromFile).front());
        CHECK(tests::lossesOf(*fromScheme).back() < tests::lossesOf(*fromScheme).front());
        CHECK(fromScheme->schedule.shape.windows == experiment.warmup + 6 + 1);
    }
}

TEST_CASE("a ring all-reduce takes 2 (n - 1) (latency + bytes / (n bandwidth))")
{
    const LinkCost link{Nanoseconds(1000), 1e9};
    CHECK(ringAllReduce(link, 2, 8000) == 2 * (1000 + 4000));
    CHECK(ringAllReduce(link, 4, 8000) == 6 * (1000 + 2000));
    CHECK(ringAllReduce({}, 4, 8000) == 0);
    CHECK_FALSE(checkTicks(static_cast<double>(ringAllReduce({{}, 1e-300}, 4, 8000)), {}));
}

TEST_CASE("with a link model transfers take time, and the run is labelled as assumed")
{
    Experiment experiment = miniature("bitpipe");
    experiment.link = {Nanoseconds(2000), 1e9};
    const auto result = tests::runOf(experiment);
    REQUIRE(result);
    const Bytes message = 2 * 16 * 16 * 4;
    const Track* sends = result->timeline.track(DeviceId{0}, Track::Kind::Send);
    REQUIRE(sends != nullptr);
    for (const Span& span : sends->spans)
        CHECK(span.window().duration() == message); // 1 GB/s: a byte a nanosecond
    CHECK(result->info.link == "1 GB/s, 2 µs (assumed)");
}

TEST_CASE("evicts to host memory take the time of the link to the host")
{
    Experiment experiment = miniature("1f1b");
    experiment.link = {Nanoseconds(2000), 1e9};
    experiment.linkToHost = {Nanoseconds(3000), 1e8};
    experiment.model.offload = Fraction{3};
    const auto result = tests::runOf(experiment);
    REQUIRE(result);
    CHECK(result->info.link == "1 GB/s, 2 µs (assumed); to the host 0.1 GB/s, 3 µs (assumed)");
    const auto time = [&result] {
        const Track* copies = result->timeline.track(DeviceId{0}, Track::Kind::Copy);
        REQUIRE(copies != nullptr);
        REQUIRE_FALSE(copies->spans.empty());
        return copies->spans.front().window().duration();
    };
    const Bytes stash = (time() - 3000) / 10;
    CHECK(time() == 3000 + 10 * stash);
    const auto faster = [&] {
        experiment.linkToHost.bytesPerSecond = 1e9;
        return tests::runOf(experiment);
    }();
    REQUIRE(faster);
    CHECK(faster->timeline.track(DeviceId{0}, Track::Kind::Copy)->spans.front().window().duration()
          == 3000 + stash);
}

TEST_CASE("launch hooks are called around all launches of an op")
{
    std::vector<OpOfIteration> told;
    int open = 0, deepest = 0;
    RunObserver observer;
    observer.launches.begin = [&](OpOfIteration op) {
        told.push_back(op);
        deepest = std::max(deepest, ++open);
    };
    observer.launches.end = [&] { --open; };
    const auto result = tests::runOf(miniature("1f1b"), observer);
    REQUIRE(result);
    CHECK(open == 0);
    CHECK(deepest == 1);
    const std::size_t ops = OpIndex(result->schedule).count();
    REQUIRE(told.size() == 4 * ops); // a warm-up and three iterations, not the replay
    for (std::size_t i = 0; i < told.size(); ++i)
        CHECK(told[i].iteration == i / ops);
    std::vector<std::uint32_t> once(ops);
    for (std::size_t i = 0; i < ops; ++i)
        ++once.at(told[i].op);
    CHECK(std::ranges::count(once, 1U) == static_cast<std::ptrdiff_t>(ops));
}

// Emulation counted the ops of the first pipeline only.
TEST_CASE("the progress of a run counts the ops of all data-parallel pipelines")
{
    Experiment experiment;
    experiment.schedule.scheme = "1f1b";
    experiment.schedule.devices = experiment.schedule.microBatches = 2;
    experiment.schedule.dataParallel = 2;
    experiment.model = tests::narrowModel(4);
    experiment.iterations = 1;
    experiment.warmup = 0;
    OpsDone last;
    RunObserver observer;
    observer.progress = [&](const OpsDone& at) { last = at; };
    observer.launches.begin = [isFirst = true](OpOfIteration) mutable {
        constexpr std::int64_t kLonger = 60'000'000; // than 50 ms, the interval of the reports
        const std::int64_t end = std::exchange(isFirst, false) ? wallTime() + kLonger : 0;
        while (wallTime() < end) { }
    };
    const auto run = tests::runOf(experiment, observer);
    REQUIRE(run);
    CHECK(last.ops == 2 * opCount(run->schedule));
    CHECK(last.done % 2 == 0);
}
