#include "profiler/analysis/calibrate.h"
#include "profiler/store/trace_store.h"
#include "profiler/whatif/predict.h"
#include "profiler/whatif/stage_times.h"
#include "tests/profiler/whatif/measured_run.h"
#include "tests/support/paths.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

using namespace engine;
using namespace profiler;
using namespace whatif_test;

namespace {

std::int64_t durationOf(const Run& run)
{
    return run.timeline.iterations.front().window.duration();
}

} // namespace

TEST_CASE("a run predicts other schemes with the same times")
{
    const Run run = measuredRun("1f1b");
    const auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    CHECK(predictor->correction() == Approx(1).epsilon(1e-6));
    for (const char* scheme : {"1f1b", "gpipe", "interleaved-1f1b", "eager-1f1b", "zb-h1"}) {
        CAPTURE(scheme);
        const auto prediction = predictor->predict({scheduleOf(scheme, 4, 8)});
        REQUIRE(prediction);
        CHECK(static_cast<double>(prediction->iteration)
              == Approx(durationOf(measuredRun(scheme))).epsilon(1e-6));
    }
}

// Messages were paired with other ops, and GPipe took 10.1 ms instead of 28.5.
TEST_CASE("a run whose own order cannot take as long as recorded is not predicted")
{
    Run run = measuredRun("1f1b");
    for (Iteration& iteration : run.timeline.iterations)
        iteration.window.end -= iteration.window.duration() / 2;
    const auto predictor = WhatIfPredictor::create(run);
    REQUIRE_FALSE(predictor);
    CHECK(predictor.error().message.find("2.0 times as long as recorded") != std::string::npos);
}

// The interval was 2997 to 3005 ms where the times of other orders were missed by up to 16 %.
TEST_CASE("the interval of another order covers the errors of earlier predictions")
{
    Run run = measuredRun("1f1b"); // its times have no spread
    auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    const auto shares = [&](const char* scheme) {
        const auto one = predictor->predict({scheduleOf(scheme, 4, 8)});
        REQUIRE(one);
        const auto share = [&](std::int64_t time) { return 1.0 * time / one->iteration; };
        return std::pair(share(one->least), share(one->most));
    };
    CHECK(shares("1f1b") == std::pair(1.0, 1.0));
    CHECK(shares("gpipe").first == Approx(0.95));
    CHECK(shares("gpipe").second == Approx(1.05));
    const auto quick = predictor->predict({scheduleOf("gpipe", 4, 8), 1, 0}); // no resamples
    CHECK(1.0 * quick->most / quick->iteration == Approx(1.05));
    const auto split = predictor->predict({scheduleOf("zb-h1", 4, 8)});
    predictor->times().splitCost = kMostSplitCost;
    const auto slow = predictor->predict({scheduleOf("zb-h1", 4, 8)});
    REQUIRE((split && slow));
    CHECK(1.0 * split->most == Approx(1.05 * slow->iteration));
    CHECK(slow->iteration > split->iteration);

    // 0 of 12 intervals from runs without all-reduces contained the time with two directions.
    CHECK(shares("bitpipe").second == Approx(1.05 * 1.15));
    // 1 of 18 intervals contained the time with two sequence slices.
    CHECK(shares("seq1f1b").second == Approx(1.05 * 1.7));
    // 1 of 18 intervals contained the time of 1F1B if messages took long beside the ops of the run.
    auto& messages = predictor->times().message.times;
    REQUIRE(!messages.empty());
    const auto free = predictor->predict({scheduleOf("gpipe", 4, 8), 1e9, 0});
    for (std::size_t i = 0; i < messages.size() / 10; ++i)
        messages[i] = 0;
    const auto shorter = predictor->predict({scheduleOf("gpipe", 4, 8), 1, 0});
    CHECK(1.0 * shorter->least == Approx(0.95 * free->iteration));

    run.info.mode = Mode::Simulate; // its costs are exact
    predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    CHECK(shares("gpipe") == std::pair(1.0, 1.0));
}

// GPipe took 32.1 ms where 26.2 to 29.7 were predicted from an emulated 1F1B, whose device 0 had
// four stashes and ops 13 % longer than device 3.
TEST_CASE("the interval covers larger stashes if devices with more stashes take longer")
{
    const auto most = [](const std::array<double, 4>& factors) {
        Run run = readRun(tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite")).value();
        for (Track& track : run.timeline.tracks)
            for (Span& span : track.spans)
                if (track.kind == Track::Kind::Compute)
                    span.end = span.begin
                        + std::llround(static_cast<double>(span.window().duration())
                                       * factors[static_cast<std::size_t>(track.device.value)]);
        const auto predictor = WhatIfPredictor::create(run);
        REQUIRE(predictor);
        const auto share = [&](const char* scheme) {
            const auto one = predictor->predict({scheduleOf(scheme, 4, 8)});
            REQUIRE(one);
            return 1.0 * one->most / one->iteration;
        };
        return share("gpipe") / share("zb-h1"); // stashes of 8 and 4 M_a
    };
    const double even = most({1, 1, 1, 1}), growing = most({1, 0.95, 0.9, 0.85}),
                 falling = most({0.85, 0.9, 0.95, 1});
    CHECK(growing > 1.12 * even);
    CHECK(growing < kMostStash * even);
    CHECK(falling == Approx(even).epsilon(0.06));
}

TEST_CASE("a stage of another partition takes the times of the part of the model that it holds")
{
    const Run run = measuredRun("1f1b");
    const auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    const auto two = predictor->predict({scheduleOf("1f1b", 2, 8)});
    REQUIRE(two);
    CHECK(static_cast<double>(two->iteration)
          == Approx(durationOf(measuredRun("1f1b", 2, 2))).epsilon(1e-6));
}

// Half of the output layer was given to the stage before the last one, so that the predicted
// iteration was too short.
TEST_CASE("the output layer stays whole if the layers of its stage are divided")
{
    const Run run = measuredRun("1f1b");
    auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    REQUIRE(setMedian(predictor->times(), StageId{3}, OpKind::Forward, 1'500'000));
    const auto predicted = predictor->predict({scheduleOf("interleaved-1f1b", 4, 8)});
    REQUIRE(predicted);
    const OpIndex index(predicted->run.schedule);
    for (const Track& track : predicted->run.timeline.tracks)
        for (const Span& span : track.spans)
            if (const Op op = opAt(predicted->run.schedule, index, span.op);
                op.kind == OpKind::Forward)
                CHECK(span.window().duration() == (op.stage == StageId{7} ? 1'000'000 : 500'000));
}

// They had none, while the measured iteration and correction() included them.
TEST_CASE("predictions of a data-parallel run have its all-reduces")
{
    const auto copies = [](const char* scheme) {
        Schedule schedule = scheduleOf(scheme, 4, 8);
        schedule.shape.dataParallel = 2;
        UnitCosts costs;
        costs.allReduce = {3};
        return measuredRun(schedule, 1, 1, costs);
    };
    const Run run = copies("1f1b");
    const auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    CHECK(predictor->correction() == Approx(1).epsilon(1e-6));
    for (const char* scheme : {"1f1b", "gpipe"}) {
        CAPTURE(scheme);
        const auto prediction = predictor->predict({scheduleOf(scheme, 4, 8)});
        REQUIRE(prediction);
        CHECK(prediction->run.schedule.shape.dataParallel == 2);
        CHECK(static_cast<double>(prediction->iteration)
              == Approx(durationOf(copies(scheme))).epsilon(1e-6));
    }
}

TEST_CASE("a run without all-reduces says that they are assumed to be free")
{
    const auto isStated = [](const std::string& scheme) {
        const Run run = measuredRun(scheme);
        const auto predictor = WhatIfPredictor::create(run);
        REQUIRE(predictor);
        return std::ranges::any_of(predictor->times().assumptions, [](const std::string& text) {
            return text.starts_with("All-reduces");
        });
    };
    CHECK(isStated("1f1b"));
    CHECK_FALSE(isStated("bitpipe"));
}

// Messages of 1 ms were free, and the correction of the run's own order was applied to others:
// GPipe took 56.9 ms instead of 39, and 1F1B on 8 devices 36.2 instead of 48.5.
TEST_CASE("the waits of a run without messages show how long its messages take")
{
    Run run = withoutMessages(measuredRun("1f1b", 4, 1, 8, 10));
    if (GENERATE(false, true)) { // the waits were parts of the ops
        run.info.mode = Mode::Imported;
        run.info.import.emplace().stagesKnown = true;
        run.info.import->microBatchesKnown = true;
    }
    for (const std::int64_t skew : {0, 600'000}) { // ns; of the clock of device 1
        for (Track& track : run.timeline.tracks)
            for (Span& span : track.spans)
                if (track.device.value == 1) {
                    span.begin += skew;
                    span.end += skew;
                }
        const auto predictor = WhatIfPredictor::create(run);
        REQUIRE(predictor);
        CHECK(predictor->times().message.median() == 1'000'000);
        if (skew == 0) {
            CHECK(predictor->correction() == 1);
            CHECK(predictor->predict({scheduleOf("gpipe", 4, 8)})->iteration == 39'000'000);
            CHECK(predictor->predict({scheduleOf("1f1b", 8, 8)})->iteration == 48'500'000);
            const Schedule gpipe = lower(scheduleOf("gpipe", 4, 8));
            const auto costs = calibratedCosts(run, gpipe); // as `simulate --calibrate`
            REQUIRE(costs);
            CHECK(iterationLength(gpipe, *costs) == 39'000'000);
        }
    }
    const Run none = withoutMessages(measuredRun("1f1b", 4, 1, 8, 0));
    const auto free = WhatIfPredictor::create(none);
    CHECK(std::ranges::count(free->times().assumptions, "Messages are free: the run has none.")
          == 1);
}

// Any speed of the links changed the iteration by "+0.0 %, 95 % interval 34.64 to 34.64 ms".
TEST_CASE("what other links change in the own order of a run without messages is unknown")
{
    const Run with = measuredRun("1f1b"), without = withoutMessages(with);
    auto predictor = WhatIfPredictor::create(without);
    CHECK(predictor->predictOwn());
    CHECK_FALSE(predictor->predictOwn(2));
    predictor->times().messageDelay = 100'000;
    CHECK_FALSE(predictor->predictOwn());
    CHECK(WhatIfPredictor::create(with)->predictOwn(2));
}

// Every predicted stage had a step as long as that of all stages of a device.
TEST_CASE("an optimizer step for all stages of a device is divided among them")
{
    Schedule schedule = scheduleOf("interleaved-1f1b", 2, 4);
    REQUIRE(schedule.shape.stages == 4);
    for (const DeviceId device : schedule.program.ids()) {
        Op& step = schedule.program[device].emplace_back();
        step.kind = OpKind::OptimizerStep;
        step.stage = StageId{device.value};
    }
    UnitCosts costs;
    costs.optimizer = {4};
    const Run run = measuredRun(schedule, 1, 1, costs);
    const auto times = measuredTimes(run);
    REQUIRE(times);
    const auto* track = run.timeline.track(DeviceId{0}, Track::Kind::Compute);
    REQUIRE(track);
    REQUIRE(track->spans.back().window().duration() > 0);
    CHECK(times->optimizer.median() == track->spans.back().window().duration() / 2);
}

TEST_CASE("slow stages and links can be edited")
{
    const Run run = measuredRun("1f1b");
    auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    const WhatIf own{scheduleOf("1f1b", 4, 8)};
    const auto before = predictor->predict(own)->iteration;
    CHECK(predictor->predict({own.schedule, 2.0})->iteration < before);
    predictor->times().stages[StageId{1}].factor = 2;
    const auto slow = predictor->predict(own)->iteration;
    CHECK(slow > before);
    removeStragglers(run, predictor->times());
    // Only measured times decide which device is slow, and all are equal.
    CHECK(predictor->predict(own)->iteration == slow);
}

TEST_CASE("layers can be moved to another stage")
{
    const Run run = measuredRun("1f1b");
    auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    MeasuredTimes& times = predictor->times();
    REQUIRE(moveLayers(times, StageId{3}, StageId{2}, 4, 8));
    auto expected = WhatIfPredictor::create(run);
    expected->times().stages[StageId{2}].factor = 1.5;
    expected->times().stages[StageId{3}].factor = 0.5;
    const WhatIf own{scheduleOf("1f1b", 4, 8)};
    CHECK(predictor->predict(own)->iteration == expected->predict(own)->iteration);
    CHECK(moveLayers(times, StageId{3}, StageId{2}, 4, 8).error().message.find("has 4 of its own")
          != std::string::npos);
    CHECK_FALSE(moveLayers(times, StageId{4}, StageId{2}, 1, 8));
}

TEST_CASE("ops divide among tensor-parallel ranks, messages do not")
{
    const Run run = measuredRun("1f1b", 1);
    const auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    WhatIfPredictor half = *predictor;
    setTensorParallel(half.times(), 2);
    CHECK(2 * half.predict({scheduleOf("1f1b", 1, 8)})->iteration == durationOf(run));
    CHECK(half.times().assumptions.back().starts_with("Ops take 0.5 of their time"));
}

TEST_CASE("the interval follows the spread of the measured times")
{
    Run run = measuredRun("1f1b");
    bool isOdd = false;
    for (Track& track : run.timeline.tracks)
        if (track.kind == Track::Kind::Compute)
            for (Span& span : track.spans)
                span.end -= (isOdd = !isOdd) ? 300'000 : 0;
    const auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    const auto prediction = predictor->predict({scheduleOf("gpipe", 4, 8)});
    REQUIRE(prediction);
    CHECK(prediction->least <= prediction->iteration);
    CHECK(prediction->most > prediction->least);
    CHECK(predictor->predict({scheduleOf("gpipe", 4, 8)})->least == prediction->least);
}

TEST_CASE("runs without stages or times are refused with a reason")
{
    Run run = measuredRun("1f1b");
    for (Track& track : run.timeline.tracks)
        std::erase_if(track.spans, [&](const Span& span) {
            return opAt(run.schedule, OpIndex(run.schedule), span.op).kind == OpKind::Backward;
        });
    CHECK(WhatIfPredictor::create(run).error().message.find("no measured backward")
          != std::string::npos);
    run.info.ticksPerUnit = 4;
    CHECK(WhatIfPredictor::create(run).error().message.find("in abstract cost units")
          != std::string::npos);
    run.info.import.emplace();
    CHECK(WhatIfPredictor::create(run).error().message.find("stages of this run are unknown")
          != std::string::npos);
}

// The Gantt chart of a prediction showed another duration than the sentence above it.
TEST_CASE("the duration of the predicted run equals the prediction")
{
    Run run = measuredRun("1f1b");
    for (Iteration& iteration : run.timeline.iterations)
        iteration.window.end += 2'000'000; // measured, but explained by no op
    const auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    CHECK(predictor->correction() > 1.01);
    CHECK(predictor->measured() == run.timeline.iterations.front().window.duration());
    const auto prediction = predictor->predict({scheduleOf("zb-h1", 4, 8)});
    REQUIRE(prediction);
    CHECK(durationOf(prediction->run) == prediction->iteration);
}

// It was multiplied by correction().
TEST_CASE("a delay of messages lengthens an iteration by exactly the delay of its messages")
{
    Run run = measuredRun("1f1b", 2, 1, 1); // one activation, then one gradient
    for (Iteration& iteration : run.timeline.iterations)
        iteration.window.end += 2'000'000; // measured, but explained by no op
    auto predictor = WhatIfPredictor::create(run).value();
    REQUIRE(predictor.correction() > 1.01);
    const auto both = [&] {
        return std::pair(
            static_cast<double>(predictor.predict({scheduleOf("1f1b", 2, 1)})->iteration),
            static_cast<double>(predictor.predictOwn()->iteration));
    };
    const auto [scheme, own] = both();
    predictor.times().messageDelay = 10'000'000;
    const auto [delayedScheme, delayedOwn] = both();
    CHECK(delayedScheme - scheme == Approx(20e6).epsilon(1e-6));
    CHECK(delayedOwn - own == Approx(20e6).epsilon(1e-6));
}

TEST_CASE("a prediction stops when it is cancelled")
{
    const Run run = measuredRun("1f1b");
    const auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    std::atomic<int> asked = 0;
    WhatIf whatIf{scheduleOf("1f1b", 4, 8)};
    whatIf.isCancelled = [&] { return ++asked > 3; };
    CHECK(predictor->predict(whatIf).error().code == Error::Code::Cancelled);
    CHECK(asked < 20); // of 100 resamples; every thread may ask once more
}

TEST_CASE("with another number of micro-batches the change is per micro-batch, and says so")
{
    const Run run = measuredRun("1f1b"); // N = 8
    const auto predictor = WhatIfPredictor::create(run);
    REQUIRE(predictor);
    const auto more = predictor->predict({scheduleOf("1f1b", 4, 32)});
    const auto same = predictor->predict({scheduleOf("gpipe", 4, 8)});
    REQUIRE(more);
    REQUIRE(same);
    CHECK_FALSE(doesEqualWork(*more, run));
    CHECK(doesEqualWork(*same, run));
    const double measured = static_cast<double>(predictor->measured());
    // Four times the work takes less than four times as long, because the bubble is smaller.
    CHECK(static_cast<double>(more->iteration) > 2 * measured);
    CHECK(changeOf(*more, run, predictor->measured())
          == Approx(static_cast<double>(more->iteration) / (4 * measured) - 1));
    CHECK(changeOf(*more, run, predictor->measured()) < 0);
    CHECK(changeOf(*same, run, predictor->measured())
          == Approx(static_cast<double>(same->iteration) / measured - 1));
}

TEST_CASE("a recorded RECOMPUTE is a part of the backward, so that its own schedule takes as long")
{
    Run run = measuredRun("1f1b", 1);
    const auto before = WhatIfPredictor::create(run);
    REQUIRE(before);
    // Divides every B of 2 ms into a RECOMPUTE of 0.5 ms and the rest.
    Schedule divided = run.schedule;
    auto& program = divided.program[DeviceId{0}];
    auto& spans = run.timeline.tracks.front().spans;
    std::vector<Op> ops;
    std::vector<std::uint32_t> position;
    for (const Op& op : program) {
        if (op.kind == OpKind::Backward) {
            ops.push_back(op);
            ops.back().kind = OpKind::Recompute;
        }
        position.push_back(static_cast<std::uint32_t>(ops.size()));
        ops.push_back(op);
    }
    std::vector<Span> all;
    for (const Span& span : spans) {
        Span rest = span;
        rest.op = position[span.op];
        if (program[span.op].kind == OpKind::Backward) {
            rest.begin += 500'000;
            all.push_back({span.begin, rest.begin, rest.op - 1, span.iteration});
        }
        all.push_back(rest);
    }
    spans = all;
    program = ops;
    run.schedule = divided;
    const auto after = WhatIfPredictor::create(run);
    REQUIRE(after);
    CHECK(after->correction() == Approx(before->correction()));
    CHECK(after->predict({scheduleOf("gpipe", 1, 8)})->iteration
          == before->predict({scheduleOf("gpipe", 1, 8)})->iteration);
}

TEST_CASE("the own order and the own scheme of a run need the memory that it recorded")
{
    const auto run = readRun(tests::sourcePath("sample_runs/bitpipe-d4-n8.sqlite"));
    REQUIRE(run);
    const auto recorded = metrics(*run);
    const auto predictor = WhatIfPredictor::create(*run);
    REQUIRE((recorded && predictor));
    for (const auto& prediction :
         {predictor->predictOwn(), predictor->predict({scheduleOf("bitpipe", 4, 8)})}) {
        REQUIRE(prediction);
        REQUIRE(prediction->deviceBytes.size() == 4);
        for (const DeviceMetrics& device : recorded->devices)
            CHECK(prediction->deviceBytes[device.device] == device.peakBytes);
    }
}

// The times of the simulator overflowed.
TEST_CASE("edits whose times cannot be added are refused")
{
    const Run run = measuredRun("1f1b", 4, 10);
    const auto refusal = [&](const auto& edit, const auto& predict) {
        auto predictor = WhatIfPredictor::create(run).value();
        edit(predictor.times());
        const auto prediction = predict(predictor);
        REQUIRE_FALSE(prediction);
        return prediction.error().message;
    };
    const auto slowStage = [](MeasuredTimes& times) {
        constexpr std::int64_t kElevenDays = 1'000'000'000'000'000; // ns
        REQUIRE(setMedian(times, StageId{0}, OpKind::Forward, kElevenDays));
        times.stages[StageId{0}].factor = 1000;
    };
    const auto slowOps = [](MeasuredTimes& times) {
        for (const char* text : {"F=1000", "0=1000", "0:F=1000", "0F0=1000"})
            times.slowdowns.push_back(parseRunEdit(text).value());
    };
    const auto gpipe = [](const WhatIfPredictor& predictor) {
        return predictor.predict({scheduleOf("gpipe", 4, 8)});
    };
    const auto own = [](const WhatIfPredictor& predictor) { return predictor.predictOwn(); };
    CHECK(refusal(slowStage, gpipe) == costsTooLarge().value().message);
    CHECK(refusal(slowStage, own) == costsTooLarge().value().message);
    CHECK(refusal(slowOps, own) == costsTooLarge().value().message);
}

// Their time was that of a message, although a stash is larger, and nothing said so.
TEST_CASE("BPipe is predicted only from a run with evicts and loads")
{
    const Run run = measuredRun("1f1b");
    const auto refused = WhatIfPredictor::create(run)->predict({scheduleOf("bpipe", 4, 8)});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message
          == "the run has no measured time of EVICT, LOAD, which bpipe needs; record a scheme with "
             "such ops");
    UnitCosts costs;
    costs.transfer = {3};
    const Run own = measuredRun(scheduleOf("bpipe", 4, 8), 1, 1, costs);
    const auto predictor = WhatIfPredictor::create(own);
    REQUIRE(predictor);
    CHECK(predictor->correction() == Approx(1).epsilon(1e-6));
    const auto same = predictor->predict({scheduleOf("bpipe", 4, 8)});
    REQUIRE(same);
    CHECK(same->iteration == durationOf(own));
}

TEST_CASE("times of copies to the host predict no copies to a partner, and the reverse")
{
    UnitCosts costs;
    costs.transfer = {1};
    const Schedule offloads = addOffload(scheduleOf("1f1b", 4, 8), 3).value();
    const Schedule shares = scheduleOf("bpipe", 4, 8);
    const auto refusal = [&](const Schedule& measured, const Schedule& asked) {
        const Run run = measuredRun(measured, 1, 1, costs);
        const auto refused = WhatIfPredictor::create(run)->predict({asked});
        return refused ? std::string() : refused.error().message;
    };
    CHECK(refusal(shares, offloads)
          == "the run evicts stashes to the partner, and 1f1b evicts them to host memory, over "
             "links of another speed; record a run with --offload");
    CHECK(refusal(offloads, shares)
          == "the run evicts stashes to host memory, and bpipe evicts them to the partner, over "
             "links of another speed; record a run of bpipe");
    CHECK(refusal(offloads, offloads).empty());
}

// The schedule of a run without a stage was simulated, which failed with a deadlock.
TEST_CASE("a run whose traces lack a stage is not simulated with the op times of another")
{
    const auto whole = std::make_shared<const Run>(whatif_test::measuredRun("1f1b"));
    Run lacking = whatif_test::measuredRun("1f1b");
    lacking.info.label = "rank 2 missing";
    lacking.info.import.emplace();
    lacking.info.import->stagesKnown = true;
    lacking.info.import->lack = "stage 2 has no trace";
    const auto same = withOpTimesOf({whole, std::make_shared<const Run>(lacking)}, 0);
    REQUIRE(!same);
    CHECK(same.error().message
          == "the schedule of rank 2 missing is not known: stage 2 has no trace; leave this run "
             "out");
}
