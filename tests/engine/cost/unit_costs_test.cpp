#include "engine/cost/cost_model.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

namespace {

// Durations of a device's ops in units.
std::vector<double> unitsOn(const Schedule& schedule, const OpCosts& costs, DeviceId device)
{
    std::vector<double> units;
    for (std::size_t i = 0; i < schedule.program[device].size(); ++i)
        units.push_back(static_cast<double>(costs.of[device][i].duration)
                        / static_cast<double>(costs.ticksPerUnit));
    return units;
}

UnitCosts withForward(const Fraction& forward)
{
    UnitCosts costs;
    costs.forward = forward;
    return costs;
}

} // namespace

TEST_CASE("a chunk's op costs its share of a device's work")
{
    Schedule schedule = scheduleOf("1f1b", 2, 1);
    CHECK(unitsOn(schedule, costsOf(schedule), DeviceId{0}) == std::vector<double>{1, 2});
    schedule = scheduleOf("bitpipe", 2, 2);
    for (const double duration : unitsOn(schedule, costsOf(schedule), DeviceId{0}))
        CHECK((duration == 0.5 || duration == 1));
}

TEST_CASE("a slice's op costs its share, and its message too")
{
    Schedule schedule = scheduleOf("1f1b", 2, 1);
    schedule.shape.slices = 4;
    for (auto& ops : schedule.program)
        for (Op& op : ops)
            op.slice = 0;
    UnitCosts costs;
    costs.p2p = {2};
    schedule = addP2P(schedule);
    CHECK(unitsOn(schedule, costsOf(schedule, costs), DeviceId{1})
          == std::vector<double>{0, 0.25, 0.5, 0.5}); // RECV F B SEND
}

TEST_CASE("a message costs the same whatever the chunk, all-reduce and step cost their share")
{
    UnitCosts costs;
    costs.p2p = {1, 4};
    costs.latency = {1, 8};
    costs.allReduce = {1};
    costs.optimizer = {1, 2};
    const Schedule schedule = lower(scheduleOf("bitpipe", 2, 2));
    const OpCosts resolved = costsOf(schedule, costs);
    for (std::size_t i = 0; i < schedule.program[{0}].size(); ++i) {
        const OpKind kind = schedule.program[{0}][i].kind;
        const double duration = unitsOn(schedule, resolved, DeviceId{0})[i];
        if (kind == OpKind::SendActivation || kind == OpKind::SendGradient) {
            CHECK(duration == 0.25);
            CHECK(resolved.of[{0}][i].latency * 8 == resolved.ticksPerUnit);
        } else {
            CHECK(resolved.of[{0}][i].latency == 0);
        }
        if (kind == OpKind::AllReduce)
            CHECK(duration == 0.5);
        if (kind == OpKind::OptimizerStep)
            CHECK(duration == 0.25);
    }
}

TEST_CASE("an evict and a load cost a chunk's share, a recompute its share of the forward")
{
    UnitCosts costs;
    costs.forward = {3};
    costs.transfer = {1, 2};
    costs.recompute = {1, 3};
    Schedule schedule = scheduleOf("bitpipe", 2, 2);
    schedule.program[{0}][0].kind = OpKind::Evict;
    schedule.program[{0}][1].kind = OpKind::Load;
    schedule.program[{0}][2].kind = OpKind::Recompute;
    const auto units = unitsOn(schedule, costsOf(schedule, costs), DeviceId{0});
    CHECK(std::vector<double>(units.begin(), units.begin() + 3)
          == std::vector<double>{0.25, 0.25, 0.5});
}

TEST_CASE("a unit has as many ticks as make every duration an integer")
{
    CHECK(costsOf(scheduleOf("1f1b", 2, 1)).ticksPerUnit == 2);
    CHECK(costsOf(scheduleOf("bitpipe", 2, 2)).ticksPerUnit == 2);
    CHECK(costsOf(scheduleOf("1f1b", 2, 1), withForward({1, 3})).ticksPerUnit == 6);
    CHECK(costsOf(scheduleOf("bitpipe", 2, 2), withForward({5, 2})).ticksPerUnit == 4);
}

TEST_CASE("costs whose sum is not exact are refused")
{
    const Schedule schedule = lower(scheduleOf("1f1b", 2, 100));
    UnitCosts costs;
    costs.forward = {1, 999'999'937};
    costs.backward = {1, 999'999'929};
    costs.p2p = {1, 999'999'893};
    CHECK_FALSE(unitOpCosts(schedule, costs));
    CHECK_FALSE(unitOpCosts(schedule, withForward({std::int64_t{1} << 60})));
    CHECK_THAT(unitOpCosts(schedule, costs).error().message, Catch::Contains("rounder"));
    costs = withForward({999'999'999});
    CHECK(unitOpCosts(schedule, costs));
    costs.rules.joint = {999'999'999};
    CHECK_FALSE(unitOpCosts(schedule, costs));
}
