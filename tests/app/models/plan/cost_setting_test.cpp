#include "app/models/plan/cost_setting.h"
#include "app/models/plan/run_plan.h"
#include "tests/catch.h"

using namespace app;

TEST_CASE("costs in hundredths are exact fractions, and what is not said is as the engine has it")
{
    CostSetting costs;
    costs.forward = 110;
    costs.latency = 25;
    costs.slowDown = 150;
    costs.jitter = 250; // 2.5 percent
    costs.devicesPerNode = 8;
    costs.p2pAcross = 75;
    costs.stages = QStringLiteral("0=1.5:3, 7=2:4");
    const auto units = unitCosts(costs);
    REQUIRE(units);
    CHECK(units->forward == engine::Fraction{11, 10});
    CHECK(units->latency == engine::Fraction{1, 4});
    CHECK(units->rules.slowDown == engine::Fraction{3, 2});
    CHECK(units->rules.jitter == engine::Fraction{1, 40});
    CHECK(units->p2pAcross == engine::Fraction{3, 4});
    CHECK_FALSE(units->latencyAcross);
    REQUIRE(units->stages.size() == 2);
    CHECK(units->stages[1].stage == 7);
    CHECK(units->stages[1].backward == engine::Fraction{4});
    CHECK(unitCosts({})->recompute == engine::UnitCosts().recompute);
}

TEST_CASE("stage costs that cannot be read, and nodes without a size, are refused with a remedy")
{
    CostSetting costs;
    costs.stages = QStringLiteral("0:1");
    CHECK(unitCosts(costs).error().message.find("write 0=1.5:3") != std::string::npos);
    costs.stages.clear();
    costs.p2pAcross = 10;
    CHECK(unitCosts(costs).error().message.find("devices per node") != std::string::npos);
}

TEST_CASE("every cost of the form is an option of the command that says the same")
{
    RunPlan plan;
    plan.mode = engine::Mode::Simulate;
    plan.request.sync = engine::SyncPolicy::EagerBlocking;
    plan.request.recompute = engine::Recompute::Full;
    plan.request.evict = engine::EvictPolicy::Steady;
    plan.request.schedule.dataParallel = 2;
    CostSetting& costs = plan.request.costs;
    costs.latency = 25;
    costs.optimizer = 50;
    costs.transfer = 10;
    costs.recompute = 90;
    costs.joint = 80;
    costs.slowDown = 120;
    costs.jitter = 300;
    costs.seed = 7;
    costs.blockingSend = true;
    costs.devicesPerNode = 2;
    costs.latencyAcross = 50;
    costs.transferAcross = 20;
    costs.stages = QStringLiteral("0=1.5:3");
    const QString command = commandText(plan);
    for (const char* option :
         {"--sync eager-blocking", "--recompute full", "--evict steady", "--data-parallel 2",
          "--latency 0.25", "--optimizer 0.5", "--transfer 0.1", "--recompute-cost 0.9",
          "--joint 0.8", "--slow-down 1.2", "--jitter 3", "--seed 7", "--blocking",
          "--devices-per-node 2", "--latency-across 0.5", "--transfer-across 0.2",
          "--stage-cost 0=1.5:3"}) {
        INFO(option);
        CHECK(command.contains(QString::fromLatin1(option)));
    }
    CHECK(commandText({})
          == QStringLiteral("bscope run --scheme bitpipe --devices 4 --micro-batches 8"));
}

TEST_CASE("what a run trains is in its command, and its experiment leads back to it")
{
    RunPlan plan;
    plan.layers = 8;
    plan.attention = QStringLiteral("flash");
    plan.precision = QStringLiteral("bf16");
    plan.isExact = true;
    plan.linkBandwidth = 5000;
    plan.linkLatency = 250;
    plan.request.recompute = engine::Recompute::Full;
    plan.request.sync = engine::SyncPolicy::EagerBlocking;
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

TEST_CASE("a run with what only a prediction has is refused with the way out")
{
    RunPlan plan;
    plan.request.schedule.scheme = "1f1b";
    const auto prediction = predict(plan.request);
    REQUIRE(prediction);
    const engine::Schedule& lowered = prediction->run->schedule;
    CHECK(planProblem(plan, lowered).isEmpty());
    plan.request.evict = engine::EvictPolicy::Lazy;
    CHECK(planProblem(plan, lowered).contains(QStringLiteral("simulate")));
    plan.request.evict.reset();
    plan.request.schedule.dataParallel = 2;
    CHECK(planProblem(plan, lowered).isEmpty());
    CHECK(runOptions(plan).join(QLatin1Char(' ')).contains(QStringLiteral("--data-parallel 2")));
    plan.request.schedule.scheme = "pipedream"; // whose updates no copies share
    const auto asynchronous = predict(plan.request);
    REQUIRE_FALSE(asynchronous);
    CHECK(asynchronous.error().message.find("data-parallel width 1") != std::string::npos);
}
