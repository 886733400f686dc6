#include "app/documents/run_document.h"
#include "app/run/run_panels.h"
#include "profiler/whatif/predict.h"
#include "tests/app/simulated_run.h"

#include <limits>

using namespace app;

TEST_CASE("the loss series omits the median iteration and has space for planned iterations")
{
    engine::Run run = simulatedRun({"1f1b", 2, 2, 3});
    run.info.plannedWarmup = 1;
    run.info.plannedIterations = 5;
    run.info.unigramEntropy = 4.2;
    run.timeline.iterations[0].kind = engine::Iteration::Kind::Warmup;
    run.timeline.iterations[0].loss = 5.5;
    run.timeline.iterations[1].loss = 5.0;
    run.timeline.iterations[1].microBatchLoss = {4.5F, 5.75F};
    run.timeline.iterations[2].kind = engine::Iteration::Kind::Replay;
    const LossSeries series = lossSeries(run);
    REQUIRE(series.points.size() == 2);
    CHECK(series.points[0].isWarmup);
    CHECK(series.planned == 6);
    CHECK(series.highest() == 5.75);
}

// The scale of the plot became infinite, and no loss was visible.
TEST_CASE("a loss that is not finite does not change the highest loss")
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    LossSeries series;
    series.points = {{.mean = 5.2, .microBatches = {4.5F, 5.75F}},
                     {.mean = kInfinity,
                      .microBatches = {std::numeric_limits<float>::quiet_NaN(),
                                       std::numeric_limits<float>::infinity()}}};
    series.unigramEntropy = std::numeric_limits<double>::quiet_NaN();
    series.entropyRate = kInfinity;
    CHECK(series.highest() == 5.75);
}

TEST_CASE("even costs reproduce a run without jitter, in its own unit")
{
    // The joint ops of DualPipe took twice as long.
    for (const char* scheme : {"bitpipe", "dualpipe"}) {
        CAPTURE(scheme);
        const engine::Run run = simulatedRun({scheme, 4, 8, 1, true});
        const auto even = profiler::withEvenCosts(run);
        REQUIRE(even.has_value());
        CHECK(even->timeline.iterations[0].window == run.timeline.iterations[0].window);
        CHECK(even->info.mode == engine::Mode::Simulate);
        CHECK_FALSE(even->info.inUnits());
    }
    CHECK(profiler::withEvenCosts(engine::Run{}).error().code == engine::Error::Code::NotFound);
}

TEST_CASE("even costs take the median of the ops of a kind and stage")
{
    engine::Run run = simulatedRun({"gpipe", 1, 3, 1, true});
    auto& spans = run.timeline.tracks.front().spans;
    spans[0].end += 5'000'000; // one slow F of three
    run.timeline.iterations[0].window.end += 5'000'000;
    const auto even = profiler::withEvenCosts(run);
    REQUIRE(even.has_value());
    CHECK(even->timeline.iterations[0].window.duration() == 9'000'000); // 3 x (1 + 2) ms
}

// The iterations of two runs were compared, although the machine was slower during one of them.
TEST_CASE("with the op times of the baseline its schedule takes as long, and others their share")
{
    const auto plain = std::make_shared<const engine::Run>(simulatedRun({"1f1b", 4, 8, 1, true}));
    engine::Run slow = simulatedRun({"1f1b", 4, 8, 1, true});
    for (engine::Track& track : slow.timeline.tracks)
        for (engine::Span& span : track.spans) {
            span.begin *= 2;
            span.end *= 2;
        }
    slow.timeline.iterations[0].window.end *= 2;
    const auto same
        = profiler::withOpTimesOf({plain, std::make_shared<const engine::Run>(slow)}, 0);
    REQUIRE(same.has_value());
    const auto duration
        = [](const RunPointer& run) { return run->timeline.iterations.back().window.duration(); };
    CHECK(duration(same->at(0)) == duration(plain));
    CHECK(duration(same->at(1)) == duration(plain));
    CHECK(same->at(1)->info.mode == engine::Mode::Simulate);
}

TEST_CASE("the notice of a cut-off run names the iterations that were kept")
{
    engine::Run run = simulatedRun({"1f1b", 2, 2, 3});
    CHECK(keptSentence(nullptr) == QStringLiteral("Nothing was recorded."));
    CHECK(keptSentence(&run) == QStringLiteral("Iterations 0–2 are complete and were kept."));
    for (engine::Iteration& one : run.timeline.iterations)
        one.number += 3; // a part of a longer run
    CHECK(keptSentence(&run) == QStringLiteral("Iterations 3–5 are complete and were kept."));
    run.timeline.iterations.resize(1);
    CHECK(keptSentence(&run) == QStringLiteral("Iteration 3 is complete and was kept."));
    run.timeline.iterations[0].kind = engine::Iteration::Kind::Warmup;
    CHECK(keptSentence(&run)
          == QStringLiteral("Only warm-up iterations were recorded, so there are no results. The "
                            "recording was kept."));
}
