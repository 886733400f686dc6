#include "engine/experiment/experiment_schedule.h"
#include "engine/schedule/check/validate.h"
#include "tests/catch.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using Catch::Contains;
using Catch::StartsWith;

// The program aborted. Each device updates a stage before it starts the all-reduce for which the
// other device waits.
TEST_CASE("a schedule whose optimizer steps precede their all-reduces is refused")
{
    const Schedule schedule
        = tests::scheduleFrom({"0F0 1F1u 1B1u 1OPTu 0B0 0OPT", "0F1u 1F0 0B1u 0OPTu 1B0 1OPT"});
    for (const SyncPolicy sync : {SyncPolicy::Eager, SyncPolicy::Late, SyncPolicy::EagerBlocking}) {
        INFO(syncName(sync));
        const auto refused = trainable(schedule, ModelSpec(), sync);
        REQUIRE_FALSE(refused);
        CHECK_THAT(refused.error().message,
                   StartsWith("with the all-reduces of gradients no device can proceed: ")
                       && Contains("OPTu waits for the reduced gradient of stage")
                       && Contains("move the OPT ops"));
    }
}

TEST_CASE("an experiment moves its RECOMPUTE ops ahead within its limit, and its file says so")
{
    Experiment experiment;
    experiment.model.recompute = Recompute::Full;
    const Schedule before = scheduleOf(experiment).value();
    CHECK_THAT(toToml(experiment), !Contains("recompute_ahead"));
    experiment.model.recomputeAhead = Fraction{2};
    const Schedule moved = scheduleOf(experiment).value();
    CHECK(moved != before);
    CHECK(validate(moved).empty());
    CHECK_THAT(toToml(experiment), Contains("recompute_ahead = '2'"));
    CHECK(experimentFromToml(toToml(experiment)) == experiment);
    experiment.model.recompute = Recompute::Attention;
    CHECK_THAT(scheduleOf(experiment).error().message, Contains("add --recompute full"));
}

TEST_CASE("an experiment offloads stashes within its limit, and its file says so")
{
    Experiment experiment;
    experiment.schedule.scheme = "1f1b";
    CHECK_THAT(toToml(experiment), !Contains("offload"));
    experiment.model.offload = Fraction{3};
    const Schedule offloaded = scheduleOf(experiment).value();
    CHECK(anyOp(offloaded, usesHost));
    CHECK(validate(offloaded).empty());
    CHECK_THAT(toToml(experiment), Contains("offload = '3'"));
    CHECK(experimentFromToml(toToml(experiment)) == experiment);
    experiment.schedule.scheme = "bpipe";
    CHECK_THAT(scheduleOf(experiment).error().message,
               Contains("already has evicts") && Contains("--offload"));
    // It moved inputs of stages as if they were whole activations.
    experiment.schedule.scheme = "1f1b";
    experiment.model.recompute = Recompute::Full;
    CHECK_THAT(scheduleOf(experiment).error().message, Contains("only a part of its activations"));
}
