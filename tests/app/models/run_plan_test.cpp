#include "app/models/run_plan.h"
#include "engine/exec/run_experiment.h"
#include "tests/catch.h"

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
