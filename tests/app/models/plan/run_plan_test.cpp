#include "app/models/plan/run_plan.h"
#include "engine/exec/run_experiment.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QTemporaryFile>

using namespace app;

TEST_CASE("what runs on GPUs is said on the command line and read back from an experiment")
{
    RunPlan plan;
    plan.backend = engine::Backend::Cuda;
    plan.mode = engine::Mode::Live;
    plan.transport = engine::Carrier::Nccl;
    plan.graphs = engine::Graphs::On;
    const QString words = commandText(plan);
    CHECK(words.contains(QStringLiteral("--transport nccl")));
    CHECK(words.contains(QStringLiteral("--graphs on")));
    CHECK_FALSE(commandText({}).contains(QStringLiteral("--transport")));
    CHECK_FALSE(commandText({}).contains(QStringLiteral("--graphs")));

    engine::Experiment experiment;
    experiment.backend = engine::Backend::Cuda;
    experiment.mode = engine::Mode::Live;
    experiment.transport = engine::Carrier::Nccl;
    experiment.graphs = engine::Graphs::On;
    const RunPlan read = planFromExperiment(QString::fromStdString(engine::toToml(experiment)));
    CHECK(read.transport == engine::Carrier::Nccl);
    CHECK(read.graphs == engine::Graphs::On);
    CHECK(planFromExperiment(QString::fromStdString(engine::toToml({}))).transport
          == engine::Carrier::Auto);
}

TEST_CASE("a machine without a driver says so of runs on GPUs, and of nothing else")
{
    RunPlan plan;
    CHECK(machineProblem(plan, {}).isEmpty());
    plan.backend = engine::Backend::Cuda;
    CHECK(machineProblem(plan, {}).contains(QStringLiteral("no NVIDIA driver")));
    CHECK(machineProblem(plan, {QStringLiteral("CPU"), 4, true}).isEmpty());
    plan.mode = engine::Mode::Simulate; // nothing runs
    CHECK(machineProblem(plan, {}).isEmpty());
}

TEST_CASE(
    "a mode that GPUs would not choose by themselves is said, on the CPU the usual one is not")
{
    RunPlan plan;
    CHECK_FALSE(commandText(plan).contains(QStringLiteral("--mode")));
    plan.backend = engine::Backend::Cuda;
    CHECK(commandText(plan).contains(QStringLiteral("--mode emulate")));
}

TEST_CASE("as many layers as stages can be run, fewer cannot")
{
    const engine::Schedule lowered = sample::lowered({"1f1b", 4, 8, 1}).schedule;
    RunPlan plan;
    plan.layers = 4;
    CHECK(planProblem(plan, lowered).isEmpty());
    plan.layers = 3;
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("too few for 4 stages")));
}

TEST_CASE("a text to train on is there and not empty")
{
    const engine::Schedule lowered = sample::lowered({"1f1b", 4, 8, 1}).schedule;
    QTemporaryFile file;
    REQUIRE(file.open());
    RunPlan plan;
    plan.textFile = file.fileName();
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("is empty")));
    file.write("Once upon a time.");
    file.close();
    CHECK(planProblem(plan, lowered).isEmpty());
    plan.textFile += QStringLiteral(".not");
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("cannot be read")));
}

TEST_CASE("a word of a command is quoted where a shell would take it for something else")
{
    CHECK(shellWord(QStringLiteral("runs/1f1b_d4.sqlite"))
          == QStringLiteral("runs/1f1b_d4.sqlite"));
    CHECK(shellWord(QStringLiteral("my run")) == QStringLiteral("'my run'"));
    CHECK(shellWord(QStringLiteral("it's")) == QStringLiteral("'it'\\''s'"));
    CHECK(shellWord(QString()) == QStringLiteral("''")); // a word, and none less
}
