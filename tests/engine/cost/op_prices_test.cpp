#include "engine/cost/op_prices.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

namespace {

double units(const OpPrices& prices, const Op& op, int device = 0)
{
    return static_cast<double>(prices.of(op, DeviceId{device}).duration)
        / static_cast<double>(prices.ticksPerUnit);
}

Op opOf(OpKind kind, int stage, int peer = -1)
{
    Op op;
    op.kind = kind;
    op.stage = StageId{stage};
    op.microBatch = MicroBatchId{0};
    if (peer >= 0)
        op.peer = static_cast<std::uint16_t>(peer);
    return op;
}

} // namespace

TEST_CASE("a stage may cost something of its own, its backward split as the others'")
{
    UnitCosts costs;
    costs.inputGradient = {3, 2};
    costs.weightGradient = {1, 2};
    costs.stages = {{1, {4}, {6}}};
    const auto prices = unitPrices(Shape{2, 2, 1}, costs);
    REQUIRE(prices);
    CHECK(units(*prices, opOf(OpKind::Forward, 0)) == 1);
    CHECK(units(*prices, opOf(OpKind::Forward, 1)) == 4);
    CHECK(units(*prices, opOf(OpKind::Backward, 1)) == 6);
    CHECK(units(*prices, opOf(OpKind::BackwardInput, 1)) == 4.5);
    CHECK(units(*prices, opOf(OpKind::BackwardWeight, 1)) == 1.5);
    CHECK(units(*prices, opOf(OpKind::Recompute, 1)) == 4);
    costs.stages = {{2, {1}, {1}}};
    CHECK_THAT(unitPrices(Shape{2, 2, 1}, costs).error().message,
               Catch::Contains("--stage-cost names stage 2, which does not exist")
                   && Catch::Contains("0 to 1"));
    // The product of I and the stage's backward overflowed, and I and W of the stage cost nothing.
    costs.inputGradient = {1'123'456'789, 1'000'000'000};
    costs.weightGradient = {11, 10};
    costs.backward = sum(costs.inputGradient, costs.weightGradient).value();
    costs.stages = {{0, {1}, {12'345'678'123'456'789, 1'000'000'000}}};
    CHECK_FALSE(unitPrices(Shape{2, 2, 1}, costs));
}

TEST_CASE("a backward that costs nothing elsewhere divides evenly where it costs something")
{
    UnitCosts costs;
    costs.backward = costs.inputGradient = costs.weightGradient = {0};
    costs.stages = {{1, {1}, {3}}};
    const auto prices = unitPrices(Shape{2, 2, 1}, costs);
    REQUIRE(prices);
    CHECK(units(*prices, opOf(OpKind::BackwardInput, 0)) == 0);
    CHECK(units(*prices, opOf(OpKind::BackwardInput, 1)) == 1.5);
    CHECK(units(*prices, opOf(OpKind::BackwardWeight, 1)) == 1.5);
}

TEST_CASE("transfers between nodes have a separate cost")
{
    UnitCosts costs;
    costs.p2p = {1, 4};
    costs.transfer = {1, 2};
    costs.devicesPerNode = 2;
    costs.p2pAcross = Fraction{2};
    costs.latencyAcross = Fraction{1};
    const auto prices = unitPrices(tests::scheduleOf("1f1b", 4, 1), costs);
    REQUIRE(prices);
    CHECK(units(*prices, opOf(OpKind::SendActivation, 0, 1), 0) == 0.25);
    CHECK(units(*prices, opOf(OpKind::SendActivation, 1, 2), 1) == 2);
    CHECK(units(*prices, opOf(OpKind::SendGradient, 2, 1), 2) == 2);
    CHECK(prices->of(opOf(OpKind::SendActivation, 1, 2), DeviceId{1}).latency
          == prices->ticksPerUnit);
    CHECK(prices->of(opOf(OpKind::SendActivation, 0, 1), DeviceId{0}).latency == 0);
    CHECK(units(*prices, opOf(OpKind::Evict, 0, 3), 0) == 0.5); // the same unless it is said
}

TEST_CASE("communication is free when no message, all-reduce or copy takes time")
{
    const Shape shape{2, 2, 1};
    CHECK(unitPrices(shape, {})->isCommunicationFree());
    UnitCosts costs;
    costs.optimizer = {1};
    CHECK(unitPrices(shape, costs)->isCommunicationFree());
    costs.latency = {1};
    CHECK_FALSE(unitPrices(shape, costs)->isCommunicationFree());
    costs = {};
    costs.transfer = {1};
    CHECK_FALSE(unitPrices(shape, costs)->isCommunicationFree());
}

TEST_CASE("rules that make durations uneven make the ticks fine, joint ops make them divide")
{
    UnitCosts costs;
    costs.rules.jitter = {1, 100};
    CHECK(unitPrices(Shape{2, 2, 1}, costs)->ticksPerUnit >= 1'000'000);
    costs = {};
    costs.rules.joint = {6, 7};
    CHECK(unitPrices(Shape{2, 2, 1}, costs)->ticksPerUnit == 14);
}
