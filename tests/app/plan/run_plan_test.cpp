#include "app/plan/run_plan.h"
#include "engine/cost/unit_cost_fields.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QTemporaryFile>

using namespace app;

TEST_CASE("GPU settings are in the command and are read back from an experiment")
{
    RunPlan plan;
    plan.experiment.backend = engine::Backend::Cuda;
    plan.experiment.mode = engine::Mode::Live;
    plan.experiment.transport = engine::TransportChoice::Nccl;
    plan.experiment.graphs = engine::Graphs::On;
    const QString words = commandText(plan);
    CHECK(words.contains(QStringLiteral("--transport nccl")));
    CHECK(words.contains(QStringLiteral("--graphs on")));
    CHECK_FALSE(commandText({}).contains(QStringLiteral("--transport")));
    CHECK_FALSE(commandText({}).contains(QStringLiteral("--graphs")));

    engine::Experiment experiment;
    experiment.backend = engine::Backend::Cuda;
    experiment.mode = engine::Mode::Live;
    experiment.transport = engine::TransportChoice::Nccl;
    experiment.graphs = engine::Graphs::On;
    const RunPlan read = planFromExperiment(QString::fromStdString(engine::toToml(experiment)));
    CHECK(read.experiment.transport == engine::TransportChoice::Nccl);
    CHECK(read.experiment.graphs == engine::Graphs::On);
    CHECK(planFromExperiment(QString::fromStdString(engine::toToml({}))).experiment.transport
          == engine::TransportChoice::Auto);
}

TEST_CASE("without a driver only runs on GPUs are refused")
{
    RunPlan plan;
    CHECK(machineProblem(plan, {}).isEmpty());
    plan.experiment.backend = engine::Backend::Cuda;
    CHECK(machineProblem(plan, {}).contains(QStringLiteral("no NVIDIA driver")));
    CHECK(machineProblem(plan, {QStringLiteral("CPU"), 4, true}).isEmpty());
    plan.experiment.mode = engine::Mode::Simulate; // nothing runs
    CHECK(machineProblem(plan, {}).isEmpty());
}

TEST_CASE(
    "a mode that GPUs would not choose by themselves is said, on the CPU the usual one is not")
{
    RunPlan plan;
    CHECK_FALSE(commandText(plan).contains(QStringLiteral("--mode ")));
    plan.experiment.backend = engine::Backend::Cuda;
    CHECK(commandText(plan).contains(QStringLiteral("--mode emulate")));
}

TEST_CASE("as many layers as stages can be run, fewer cannot")
{
    const engine::Schedule lowered = sample::lowered({"1f1b", 4, 8, 1}).schedule;
    RunPlan plan;
    plan.experiment.model.layers = 4;
    CHECK(planProblem(plan, lowered).isEmpty());
    plan.experiment.model.layers = 3;
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("too few for 4 stages")));
}

// The window started runs that their worker refused.
TEST_CASE("sequence slices cannot be run with full recomputation or with BERT")
{
    const engine::Schedule lowered = sample::lowered({"seq1f1b", 4, 8, 1}).schedule;
    RunPlan plan;
    CHECK(planProblem(plan, lowered).isEmpty());
    plan.experiment.model.recompute = engine::Recompute::Full;
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("full recomputation")));
    plan.experiment.model.recompute = engine::Recompute::None;
    plan.experiment.model.family = engine::Family::Bert;
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("whole sequences")));
}

TEST_CASE("the text to train on must exist and have content")
{
    const engine::Schedule lowered = sample::lowered({"1f1b", 4, 8, 1}).schedule;
    QTemporaryFile file;
    REQUIRE(file.open());
    RunPlan plan;
    plan.experiment.textFile = file.fileName().toStdString();
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("is empty")));
    file.write("Once upon a time.");
    file.close();
    CHECK(planProblem(plan, lowered).isEmpty());
    plan.experiment.textFile += ".not";
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("cannot be read")));
    plan.experiment.model = engine::loadModel("tiny-vit").value();
    plan.experiment.textFile = "sample";
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("generated images")));
    plan.experiment.textFile.clear();
    CHECK(planProblem(plan, lowered).isEmpty());
}

TEST_CASE("every cost of the form has an option of the command with the same meaning")
{
    RunPlan plan;
    plan.experiment.mode = engine::Mode::Simulate;
    plan.experiment.sync = engine::SyncPolicy::EagerBlocking;
    plan.experiment.model.recompute = engine::Recompute::Full;
    plan.experiment.model.recomputeAhead = engine::Fraction{2};
    plan.experiment.model.offload = engine::Fraction{5, 2};
    plan.evict = engine::EvictPolicy::Steady;
    plan.experiment.schedule.dataParallel = 2;
    const std::pair<const char*, const char*> costs[]{
        {"--latency", "0.25"},       {"--optimizer", "0.5"},
        {"--transfer", "0.1"},       {"--recompute-cost", "0.9"},
        {"--joint", "0.8"},          {"--slow-down", "1.2"},
        {"--jitter", "3"},           {"--seed", "7"},
        {"--blocking", "true"},      {"--devices-per-node", "2"},
        {"--latency-across", "0.5"}, {"--transfer-across", "0.2"},
        {"--stage-cost", "0=1.5:3"}};
    for (const auto& [flag, text] : costs)
        REQUIRE(engine::setChecked(*engine::findField(engine::unitCostFields(), flag), plan.costs,
                                   text));
    const QString command = commandText(plan);
    for (const char* option :
         {"--sync eager-blocking", "--recompute full", "--recompute-ahead 2", "--offload 2.5",
          "--evict steady", "--data-parallel 2", "--latency 0.25", "--optimizer 0.5",
          "--transfer 0.1", "--recompute-cost 0.9", "--joint 0.8", "--slow-down 1.2", "--jitter 3",
          "--seed 7", "--blocking", "--devices-per-node 2", "--latency-across 0.5",
          "--transfer-across 0.2", "--stage-cost 0=1.5:3"}) {
        INFO(option);
        CHECK(command.contains(QString::fromLatin1(option)));
    }
    CHECK(commandText({})
          == QStringLiteral("bscope run --scheme bitpipe --devices 4 --micro-batches 8 --model "
                            "tiny"));
}

TEST_CASE("what a run trains is in its command, and its experiment leads back to it")
{
    RunPlan plan;
    engine::Experiment& experiment = plan.experiment;
    experiment.model.layers = 8;
    experiment.model.attention = engine::AttentionKind::Flash;
    experiment.model.precision = engine::Precision::Bf16;
    experiment.model.recompute = engine::Recompute::Full;
    experiment.accumulate = engine::Accumulate::Exact;
    experiment.link = {engine::Nanoseconds(2500), 50e9};
    experiment.sync = engine::SyncPolicy::EagerBlocking;
    const QString command = commandText(plan);
    for (const char* option : {"--layers 8", "--attention flash", "--precision bf16",
                               "--accumulate exact", "--link-bandwidth 50", "--link-latency 2.5",
                               "--recompute full", "--sync eager-blocking"}) {
        INFO(option);
        CHECK(command.contains(QString::fromLatin1(option)));
    }
    const RunPlan back = planFromExperiment(QStringLiteral(
        "[run]\naccumulate = \"exact\"\nsync = \"eager-blocking\"\n[model]\nname = \"tiny\"\n"
        "layers = 8\nattention = \"flash\"\nprecision = \"bf16\"\nrecompute = \"full\"\nwidth = "
        "64\n[link]\n"
        "latency_ns = 2500\nbytes_per_second = 50000000000.0\n"));
    CHECK(back == plan);
}

TEST_CASE("a run with prediction-only settings is refused with an alternative")
{
    RunPlan plan;
    plan.experiment.schedule.scheme = "1f1b";
    const auto prediction = predict(plan.request());
    REQUIRE(prediction);
    const engine::Schedule& lowered = prediction->run->schedule;
    CHECK(planProblem(plan, lowered).isEmpty());
    plan.evict = engine::EvictPolicy::Lazy;
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("simulate")));
    plan.evict.reset();
    plan.experiment.schedule.dataParallel = 2;
    CHECK(planProblem(plan, lowered).isEmpty());
    CHECK(runOptions(plan).join(QLatin1Char(' ')).contains(QStringLiteral("--data-parallel 2")));
    plan.experiment.schedule.scheme = "pipedream"; // whose updates no copies share
    const auto asynchronous = predict(plan.request());
    REQUIRE_FALSE(asynchronous);
    CHECK(asynchronous.error().message.find("data-parallel width 1") != std::string::npos);
}

// A run of a schedule file was repeated with the scheme that its experiment does not use.
TEST_CASE("a run of a schedule file leads back to the file, and a large seed to itself")
{
    engine::Experiment experiment;
    experiment.scheduleFile = "my order.csv";
    experiment.seed = 5'000'000'000;
    const RunPlan plan = planFromExperiment(QString::fromStdString(engine::toToml(experiment)));
    CHECK(plan.experiment == experiment);
    CHECK(plan.request().scheduleFile == "my order.csv");
    CHECK(commandText(plan)
          == QStringLiteral("bscope run --schedule 'my order.csv' --model tiny --seed 5000000000"));
}

TEST_CASE("choosing a model keeps changed settings, except sizes from the preset")
{
    RunPlan plan;
    plan.experiment.model.layers = 6;
    plan.experiment.model.precision = engine::Precision::Bf16;
    plan.experiment.model.sequence = 32;
    chooseModel(plan, QStringLiteral("small"));
    const engine::ModelSpec small = engine::loadModel("small").value();
    CHECK(plan.experiment.model.name == "small");
    CHECK(plan.experiment.model.layers == 6);
    CHECK(plan.experiment.model.precision == engine::Precision::Bf16);
    CHECK(plan.experiment.model.width == small.width);
    CHECK(plan.experiment.model.sequence == small.sequence);
    const engine::Schedule lowered = sample::lowered({"1f1b", 4, 8, 1}).schedule;
    chooseModel(plan, QStringLiteral("/not/there.toml"));
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("/not/there.toml")));
}
