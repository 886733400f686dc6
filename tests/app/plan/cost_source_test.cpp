#include "app/plan/run_plan.h"
#include "app/setup/setup_page.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

using namespace app;

namespace {

using Kind = CostSource::Kind;

PredictionRequest sourceRequest(const char* scheme, Kind kind)
{
    PredictionRequest result;
    result.schedule.scheme = scheme;
    result.source.kind = kind;
    return result;
}

PredictionRequest recorded(const char* scheme, std::shared_ptr<const engine::Run> run)
{
    PredictionRequest result = sourceRequest(scheme, Kind::Recorded);
    result.source.file = "runs/one.sqlite";
    result.source.run = std::move(run);
    return result;
}

std::string problemOf(const PredictionRequest& request)
{
    const auto result = predict(request);
    return result ? std::string() : result.error().message;
}

} // namespace

TEST_CASE("a prediction on hardware takes the closed forms of the model, in nanoseconds")
{
    PredictionRequest wish = sourceRequest("1f1b", Kind::Hardware);
    wish.source.setup.tensorParallel = 8;
    const auto prediction = predict(wish);
    REQUIRE(prediction);
    CHECK_FALSE(prediction->info.inUnits());
    CHECK(prediction->info.model == "gpt3-96b");
    CHECK(prediction->info.deviceName == "8 x A100 SXM 80 GB");
    CHECK_FALSE(prediction->closedFormsApply);

    const engine::ModelOnHardware on{*engine::loadTransformer("gpt3-96b"),
                                     *engine::loadHardware("a100-sxm-80"), wish.source.setup};
    const engine::Schedule& lowered = prediction->run->schedule;
    const auto mapping
        = engine::Mapping::of(lowered, engine::kDefaultMapping, engine::nodeShape(on.hardware, 8));
    REQUIRE(mapping);
    const auto costs = engine::resolved(lowered, *engine::modelPrices(lowered.shape, on, *mapping));
    REQUIRE(costs);
    const auto timeline = engine::simulate(lowered, *costs);
    REQUIRE(timeline);
    CHECK(prediction->metrics.duration == timeline->iterations.back().window.duration());
    CHECK(prediction->metrics.tokensPerSecond);
    // The first stage of 1F1B holds most: weights, gradients, Adam and D stashes.
    const auto bytes
        = engine::stageBytes(on, lowered.shape.stages, engine::rebuiltBy(lowered, on.setup));
    CHECK(static_cast<double>(*prediction->metrics.devices[{0}].peakBytes)
          == Approx(bytes[{0}].weights + bytes[{0}].gradients + bytes[{0}].optimizer
                    + lowered.shape.devices * bytes[{0}].stash));
}

TEST_CASE("a prediction names the device that does not fit in memory")
{
    PredictionRequest wish = sourceRequest("1f1b", Kind::Hardware);
    const auto large = predict(wish);
    REQUIRE(large);
    CHECK(memoryExcess(*large).startsWith(QStringLiteral("Device 0 needs ")));
    CHECK(memoryExcess(*large).contains(QStringLiteral("A100 SXM 80 GB has ")));
    wish.source.model = "gpt2-124m";
    const auto small = predict(wish);
    REQUIRE(small);
    CHECK(memoryExcess(*small).isEmpty());
    wish.source.kind = Kind::Units;
    CHECK(memoryExcess(*predict(wish)).isEmpty());
}

TEST_CASE("recomputation also costs time and saves memory on hardware")
{
    PredictionRequest wish = sourceRequest("1f1b", Kind::Hardware);
    const auto all = predict(wish);
    wish.recompute = engine::Recompute::Full;
    const auto saved = predict(wish);
    REQUIRE((all && saved));
    CHECK(saved->metrics.duration > all->metrics.duration);
    CHECK(*saved->metrics.peakBytes() < *all->metrics.peakBytes());
    CHECK(*saved->metrics.devices[{0}].peakStashBytes
          < *all->metrics.devices[{0}].peakStashBytes / 2);
}

// The window counted attention that is made again as if nothing stayed, the command 30 percent.
TEST_CASE("recomputed attention keeps the same share of a stash as on the command line")
{
    PredictionRequest wish = sourceRequest("1f1b", Kind::Units);
    wish.recompute = engine::Recompute::Attention;
    const auto prediction = predict(wish);
    REQUIRE(prediction);
    CHECK(prediction->info.recomputeKeeps == 0.3);
    // Four in flight on device 0, of which one is whole while its backward runs.
    CHECK(prediction->metrics.devices[{0}].peakStash == Approx(1 + 3 * 0.3));
}

TEST_CASE("the schedule that was recorded is predicted as long as its replay, others by its times")
{
    const auto run = sample::measured({"1f1b", 4, 8});
    const auto same = predict(recorded("1f1b", run));
    REQUIRE(same);
    CHECK(same->metrics.duration == run->timeline.iterations.back().window.duration());
    CHECK(same->info.timing.find("medians of runs/one.sqlite") == 0);
    const auto other = predict(recorded("gpipe", run));
    REQUIRE(other);
    CHECK(other->metrics.devices[{0}].compute
          == Approx(static_cast<double>(same->metrics.devices[{0}].compute)).epsilon(0.05));
}

TEST_CASE("a run of other stages, or none, is refused with what to do, its split backward may be "
          "assumed")
{
    CHECK(problemOf(sourceRequest("1f1b", Kind::Recorded)).find("no recorded run is selected")
          == 0);
    const auto run = sample::measured({"1f1b", 4, 8});
    CHECK(problemOf(recorded("bitpipe", run)).find("stages") != std::string::npos);
    PredictionRequest split = recorded("zb-h1", run);
    CHECK_FALSE(problemOf(split).empty());
    split.source.inputShare = engine::Fraction{2, 5};
    CHECK(problemOf(split).empty());
}

TEST_CASE("a scheme takes as many chunks as the recorded stages need, where it can")
{
    const CostSource source = recorded("1f1b", sample::measured({"bitpipe", 4, 8})).source;
    engine::ScheduleRequest wish;
    wish.scheme = "interleaved-1f1b";
    wish.devices = 4;
    wish.chunks = 0;
    CHECK(withStagesOf(source, wish).chunks == 2);
    wish.devices = 3; // 8 stages are no multiple, and two chunks would be 6
    wish.microBatches = 6;
    CHECK(withStagesOf(source, wish) == wish);
    wish.devices = 4;
    wish.microBatches = 8;
    wish.scheme = "1f1b"; // one chunk, always
    CHECK(withStagesOf(source, wish) == wish);
    wish.devices = 3; // 8 stages are no multiple
    CHECK(withStagesOf(source, wish) == wish);
}

TEST_CASE("the command has the cost source and only the costs that apply")
{
    RunPlan plan;
    plan.experiment.mode = engine::Mode::Simulate;
    plan.costs.forward = {3, 2};
    plan.costs.rules.joint = {9, 10};
    plan.costs.rules.slowDown = {6, 5};
    plan.costs.devicesPerNode = 2;
    CostSource& source = plan.source;
    source.kind = Kind::Hardware;
    source.setup.attention = engine::AttentionMode::Standard;
    source.setup.microBatchSize = 2;
    source.setup.sequenceParallel = false;
    source.setup.recomputesAll = true;
    CHECK(commandText(plan)
          == QStringLiteral("bscope simulate --scheme bitpipe --devices 4 --micro-batches 8 "
                            "--model gpt3-96b --hardware a100-sxm-80 --micro-batch-size 2 "
                            "--attention standard --no-sequence-parallel --recompute-all "
                            "--joint 0.9 --slow-down 1.2"));
    source.kind = Kind::Recorded;
    source.file = "my runs/a.sqlite";
    source.inputShare = engine::Fraction{9, 20};
    CHECK(commandText(plan)
          == QStringLiteral(
              "bscope simulate --scheme bitpipe --devices 4 --micro-batches 8 "
              "--calibrate 'my runs/a.sqlite' --split-backward 0.45 --devices-per-node 2 "
              "--slow-down 1.2 --data-parallel 1"));
    plan.experiment.schedule.mapping = "contiguous"; // decides which messages cross nodes
    CHECK(commandText(plan).endsWith(QStringLiteral("--mapping contiguous --data-parallel 1")));
    plan.experiment.schedule.mapping = engine::kDefaultMapping;
    CHECK(costsText(plan.request()) == QStringLiteral("no recorded run is selected"));
}

TEST_CASE("the table of schemes counts in the unit and with the memory that its costs have")
{
    SchemeTableModel model;
    const auto answerOf = [](const PredictionRequest& wish) {
        return std::make_shared<const engine::Result<Prediction>>(predict(wish));
    };
    model.setRows({{QStringLiteral("1f1b"), QStringLiteral("1F1B"), {}, {}}});
    model.answer(QStringLiteral("1f1b"), answerOf(sourceRequest("1f1b", Kind::Units)));
    const auto header = [&](SchemeTableModel::Column column) {
        return model.headerData(static_cast<int>(column), Qt::Horizontal).toString();
    };
    using enum SchemeTableModel::Column;
    CHECK(header(Iteration) == QStringLiteral("Iteration, units"));
    CHECK_FALSE(model.hasMemory());
    CHECK(model.csv().startsWith(QStringLiteral("scheme,iteration_units,")));
    model.answer(QStringLiteral("1f1b"), answerOf(sourceRequest("1f1b", Kind::Hardware)));
    CHECK(header(Iteration) == QStringLiteral("Iteration, ms"));
    CHECK(header(Memory) == QStringLiteral("Memory, GiB"));
    CHECK(model.hasMemory());
    CHECK(model.csv().startsWith(QStringLiteral("scheme,iteration_ns,")));
    CHECK(model.csv().contains(QStringLiteral(",refused,peak_memory_bytes\n")));
    CHECK_FALSE(model.index(0, static_cast<int>(Memory)).data().toString().isEmpty());
}

TEST_CASE("the width of data parallelism and what is recomputed reach the closed forms")
{
    PredictionRequest request = sourceRequest("1f1b", Kind::Hardware);
    const auto usual = profiler::costsOf(request);
    REQUIRE(usual);
    CHECK(usual->model->setup.dataParallel == 1);
    CHECK_FALSE(usual->model->setup.recomputesAll);
    request.schedule.dataParallel = 4;
    request.recompute = engine::Recompute::Full;
    const auto wide = profiler::costsOf(request);
    REQUIRE(wide);
    CHECK(wide->model->setup.dataParallel == 4);
    CHECK(wide->model->setup.recomputesAll);
}
