#include "engine/backend/cpu/cpu_device.h"
#include "engine/exec/experiment_schedule.h"
#include "engine/exec/memory_fit.h"
#include "engine/exec/token_batches.h"
#include "engine/exec/unit_spec.h"
#include "engine/model/make_transformer.h"
#include "tests/catch.h"

#include <algorithm>

using namespace engine;

namespace {

Experiment gpipe()
{
    Experiment experiment;
    experiment.schedule.scheme = "gpipe";
    experiment.schedule.devices = 4;
    experiment.schedule.microBatches = 8;
    return experiment;
}

// An experiment planned, as a run does it.
struct Planned
{
    explicit Planned(Experiment wanted)
        : experiment(std::move(wanted))
        , lowered(scheduleOf(experiment).value())
        , unit(unitSpec(experiment.model, lowered).value())
        , model(makeTransformer(unit.model, lowered.shape.stages, *device, unit.slices))
        , plan(planExecution({lowered, *model, experiment.accumulate,
                              TokenBatches::bytes(experiment.model, lowered.shape.microBatches)}))
    { }

    Bytes fullest() const
    {
        return std::ranges::max_element(plan.devices, {}, &DevicePlan::arena)->arena;
    }
    Result<void> check(Bytes available = 0) const
    {
        return checkFits({experiment, lowered, plan, available}, *device);
    }

    std::shared_ptr<const CpuDevice> device = openCpuDevice().value();
    Experiment experiment;
    Schedule lowered;
    UnitSpec unit;
    std::unique_ptr<PipelineModel<float>> model;
    ExecutionPlan plan;
};

} // namespace

TEST_CASE("a device that holds its arena and no byte more is large enough")
{
    Planned planned(gpipe());
    planned.experiment.deviceMemory = planned.fullest();
    CHECK(planned.check());
    planned.experiment.deviceMemory = planned.fullest() - 1;
    CHECK(planned.check().error().code == Error::Code::Device);
}

TEST_CASE("what does not fit says on which device, at which op, by how much, and what would")
{
    Planned planned(gpipe());
    planned.experiment.deviceMemory = planned.fullest() - 3'000'000;
    const std::string message = planned.check().error().message;
    CHECK_THAT(message, Catch::StartsWith("device 3 needs "));
    CHECK_THAT(message, Catch::Contains(" at 3F7 and --device-memory leaves it "));
    CHECK_THAT(message, Catch::Contains(", 3.0 MB too little; these would fit: "));
    CHECK_THAT(message, Catch::Contains("--scheme 1f1b ("));
    CHECK_THAT(message, Catch::Contains("--micro-batches 4 ("));
}

TEST_CASE("everything that is said to fit does, and of halves the largest is said")
{
    Planned planned(gpipe());
    Experiment tight = planned.experiment;
    tight.deviceMemory = planned.fullest() * 6 / 10;
    const auto remedies = remediesFor(tight, 0, *planned.device);
    CHECK(remedies.size() >= 3);
    for (const Remedy& remedy : remedies) {
        INFO(remedy.words);
        const Planned changed(remedy.experiment);
        CHECK(changed.fullest() <= tight.deviceMemory);
        CHECK(changed.fullest() == remedy.need.fullest);
        CHECK(changed.check());
    }
    const auto fewer = std::ranges::find_if(
        remedies, [](const Remedy& r) { return r.words.starts_with("--micro-batches"); });
    REQUIRE(fewer != remedies.end());
    Experiment twice = fewer->experiment;
    twice.schedule.microBatches *= 2;
    CHECK(Planned(twice).fullest() > tight.deviceMemory);
}

TEST_CASE("the machine is a limit for all devices together")
{
    const Planned planned(gpipe());
    const auto total = static_cast<Bytes>(planned.plan.total());
    CHECK(planned.check(2 * total));
    const std::string message = planned.check(total).error().message; // a tenth is left to others
    CHECK_THAT(message, Catch::StartsWith("this run needs "));
    CHECK_THAT(message, Catch::Contains(" device 3 is the fullest, with "));
}
