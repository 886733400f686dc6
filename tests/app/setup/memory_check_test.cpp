#include "app/setup/setup_page.h"
#include "tests/catch.h"

using namespace app;

namespace {

RunPlan gpipePlan()
{
    RunPlan plan;
    plan.experiment.schedule.scheme = "gpipe";
    plan.experiment.schedule.microBatches = 8;
    plan.experiment.mode = engine::Mode::Emulate;
    return plan;
}

} // namespace

TEST_CASE("a run that does not fit is refused before it starts, with changes that fit")
{
    engine::Bytes little = 1 << 30;
    while (little > 1 << 20 && checkMemory(gpipePlan(), little).problem.isEmpty())
        little = little / 4 * 3; // a bit less than what the run needs
    const MemoryCheck check = checkMemory(gpipePlan(), little);
    CHECK(check.problem.startsWith(QStringLiteral("This run needs ")));
    CHECK(check.problem.contains(QStringLiteral("MiB that are free can be used")));
    REQUIRE_FALSE(check.changes.empty());
    for (const MemoryCheck::Change& change : check.changes) {
        CHECK(change.text.contains(QStringLiteral("MiB")));
        CHECK(checkMemory(change.plan, little).problem.isEmpty());
    }
}

TEST_CASE("the limit of a device is checked without the memory of the machine")
{
    RunPlan plan = gpipePlan();
    CHECK(checkMemory(plan, 0).problem.isEmpty());
    plan.experiment.deviceMemory = 1 << 20;
    CHECK(checkMemory(plan, 0).problem.contains(QStringLiteral("usable of 1.0 MiB: reserve 5 %")));
}

TEST_CASE("simulations and runs on GPUs are not checked here")
{
    RunPlan plan = gpipePlan();
    plan.experiment.mode = engine::Mode::Simulate;
    CHECK(checkMemory(plan, 1).problem.isEmpty());
    plan = gpipePlan();
    plan.experiment.backend = engine::Backend::Cuda;
    CHECK(checkMemory(plan, 1).problem.isEmpty());
}
