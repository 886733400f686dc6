#include "engine/schedule/dataflow.h"
#include "engine/schedule/notation.h"
#include "tests/support/pipelines.h"

#include <set>

using namespace engine;
using namespace tests;

namespace {

Op op(std::string_view text, OpFlag flags = OpFlag::None)
{
    Op parsed = parseOp(text).value();
    parsed.flags = flags;
    return parsed;
}

std::string text(const Values& values)
{
    std::string text;
    for (const Value& value : values)
        text += (text.empty() ? "" : "; ") + describe(value);
    return text;
}

constexpr Shape kFour{4, 4, 8};

Shape slicedShape()
{
    Shape shape = kFour;
    shape.slices = 3;
    return shape;
}

} // namespace

TEST_CASE("a stage's forward takes an activation and makes one, and keeps a stash")
{
    CHECK(text(consumes(op("0F3"), kFour)).empty());
    CHECK(text(consumes(op("2F3u"), kFour)) == "activation of stage 1, micro-batch 3 (up)");
    CHECK(text(produces(op("2F3"), kFour))
          == "activation of stage 2, micro-batch 3; stash of stage 2, micro-batch 3");
    CHECK(text(produces(op("3F3"), kFour)) == "stash of stage 3, micro-batch 3");
}

TEST_CASE("a backward takes the gradient of the next stage and its own stash")
{
    CHECK(text(consumes(op("3B1"), kFour)) == "stash of stage 3, micro-batch 1");
    CHECK(text(consumes(op("1B1"), kFour))
          == "gradient of stage 2, micro-batch 1; stash of stage 1, micro-batch 1");
    CHECK(text(produces(op("1B1"), kFour)) == "gradient of stage 1, micro-batch 1");
    CHECK(text(produces(op("0B1"), kFour)).empty());
}

TEST_CASE("a split backward hands its weight half over")
{
    CHECK(text(consumes(op("1I1"), kFour)) == text(consumes(op("1B1"), kFour)));
    CHECK(text(produces(op("1I1"), kFour))
          == "gradient of stage 1, micro-batch 1; weight stash of stage 1, micro-batch 1");
    CHECK(text(consumes(op("1W1"), kFour)) == "weight stash of stage 1, micro-batch 1");
    CHECK(text(produces(op("1W1"), kFour)).empty());
}

TEST_CASE("sequence slices run forwards in order and backwards in reverse")
{
    const Shape shape = slicedShape();
    CHECK(text(consumes(op("0F1.0"), shape)).empty());
    CHECK(text(consumes(op("1F1.2"), shape))
          == "activation of stage 0, micro-batch 1, slice 2; stash of stage 1, micro-batch 1, "
             "slice 1");
    CHECK(text(consumes(op("0B1.1"), shape))
          == "gradient of stage 1, micro-batch 1, slice 1; stash of stage 0, micro-batch 1, "
             "slice 1; gradient of stage 0, micro-batch 1, slice 2");
    CHECK(text(produces(op("0B1.2"), shape)) == "gradient of stage 0, micro-batch 1, slice 2");
}

TEST_CASE("halves of a micro-batch share the stash of the whole and ignore each other")
{
    Shape shape = kFour;
    shape.slices = 2;
    CHECK(text(consumes(op("1B1.0", OpFlag::Half), shape))
          == "gradient of stage 2, micro-batch 1, slice 0; stash of stage 1, micro-batch 1");
}

TEST_CASE("an evicted stash is on the partner until a LOAD")
{
    CHECK(text(consumes(op("1EVICT2"), kFour)) == "stash of stage 1, micro-batch 2");
    CHECK(text(produces(op("1EVICT2"), kFour)) == "evicted stash of stage 1, micro-batch 2");
    CHECK(text(consumes(op("1LOAD2"), kFour)) == "evicted stash of stage 1, micro-batch 2");
    CHECK(text(produces(op("1LOAD2"), kFour)) == "stash of stage 1, micro-batch 2");
    CHECK(text(produces(op("1RECOMPUTE2"), kFour)) == "stash of stage 1, micro-batch 2");
}

TEST_CASE("a backward has its stash from the recompute, else the load, else the forward")
{
    using enum OpKind;
    const auto makers = [](OpKind consumer) {
        const auto kinds = makersOf(Value::Kind::Stash, consumer);
        return std::vector<OpKind>(kinds.begin(), kinds.end());
    };
    CHECK(makers(Backward) == std::vector{Recompute, Load, Forward});
    CHECK(makers(BackwardInput) == std::vector{Recompute, Load, Forward});
    CHECK(makers(Recompute) == std::vector{Load, Forward});
    CHECK(makers(Evict) == std::vector{Forward});
    CHECK(makers(Forward) == std::vector{Forward}); // the next slice of the sequence
}

TEST_CASE("devices x and D-1-x are partners, and the middle device is its own partner")
{
    const Shape shape{5, 5, 1};
    CHECK(stashPartner(DeviceId{0}, shape) == DeviceId{4});
    CHECK(stashPartner(DeviceId{3}, shape) == DeviceId{1});
    CHECK(stashPartner(DeviceId{2}, shape) == DeviceId{2});
}

TEST_CASE("an optimizer step waits for the reduced gradient where there are copies to sum")
{
    Shape shape = kFour;
    CHECK(text(consumes(op("2OPT"), shape)).empty());
    shape.dataParallel = 2;
    CHECK(text(consumes(op("2OPT"), shape)) == "reduced gradient of stage 2");
    CHECK(text(produces(op("2ALLREDUCE"), shape)) == "reduced gradient of stage 2");
}

TEST_CASE("both ends of a transfer carry the same value")
{
    CHECK(transferredValue(op("1SEND_F5"), kFour) == transferredValue(op("2RECV_F5"), kFour));
    CHECK(transferredValue(op("2SEND_B5u"), kFour) == transferredValue(op("1RECV_B5u"), kFour));
    CHECK(receivingStage(transferredValue(op("1SEND_F5"), kFour), kFour) == StageId{2});
    CHECK(receivingStage(transferredValue(op("1SEND_B5"), kFour), kFour) == StageId{0});
}

TEST_CASE("value indices are dense and distinct")
{
    Shape shape{2, 4, 3, 2};
    shape.slices = GENERATE(1, 3);
    std::set<std::uint32_t> indices;
    for (std::uint8_t replica = 0; replica < shape.replicas; ++replica)
        for (int stage = 0; stage < shape.stages; ++stage) {
            indices.insert(valueIndex(
                {Value::Kind::ReducedGradient, replica, Op::kWhole, StageId{stage}, {}}, shape));
            for (int kind = 0; kind < 5; ++kind)
                for (int m = 0; m < shape.microBatches; ++m)
                    for (int slice = shape.slices == 1 ? 0 : -1; slice < shape.slices; ++slice) {
                        const auto part = shape.slices == 1 || slice < 0
                            ? Op::kWhole
                            : static_cast<std::uint16_t>(slice);
                        indices.insert(valueIndex({static_cast<Value::Kind>(kind), replica, part,
                                                   StageId{stage}, MicroBatchId{m}},
                                                  shape));
                    }
        }
    const std::size_t slots = shape.slices == 1 ? 1 : 4;
    CHECK(indices.size() == 8 * (5 * 3 * slots + 1));
    CHECK(*indices.rbegin() + 1 == valueCount(shape));
    CHECK(indices.size() == valueCount(shape));
}

TEST_CASE("in every scheme each value is made once, a stash again when it comes back, and all that "
          "is used")
{
    for (const Scheme& scheme : schemes()) {
        const Schedule schedule = scheduleOf(std::string(scheme.name), 4, 8);
        std::vector<int> made(valueCount(schedule.shape));
        std::vector<int> used(valueCount(schedule.shape));
        for (const auto& ops : schedule.program)
            for (const Op& each : ops) {
                for (const Value& value : produces(each, schedule.shape))
                    ++made[valueIndex(value, schedule.shape)];
                for (const Value& value : consumes(each, schedule.shape))
                    ++used[valueIndex(value, schedule.shape)];
            }
        INFO(scheme.name);
        if (schedule.shape.slices == 1) {
            CHECK(made == used);
        } else { // the slices of a sequence use one another's stash and gradient
            for (std::size_t i = 0; i < made.size(); ++i)
                CHECK((used[i] == 0 || made[i] == 1));
        }
        const bool comesBack = std::ranges::any_of(schedule.program, [](const auto& ops) {
            return std::ranges::any_of(ops, [](const Op& each) {
                return each.kind == OpKind::Load || each.kind == OpKind::Recompute;
            });
        });
        CHECK(*std::max_element(made.begin(), made.end()) == (comesBack ? 2 : 1));
    }
}

TEST_CASE("an op exists when its stage, micro-batch, direction and slice do")
{
    for (const std::string known :
         {"0F0", "3B7", "3OPT", "0SEND_F0", "3RECV_F0", "3SEND_B0", "2RECV_B7"}) {
        INFO(known);
        CHECK(exists(op(known), kFour));
    }
    for (const std::string unknown :
         {"4F0", "0F8", "0F0u", "0F0.0", "3SEND_F0", "0RECV_F0", "0SEND_B0", "3RECV_B0", "4OPT"}) {
        INFO(unknown);
        CHECK_FALSE(exists(op(unknown), kFour));
    }
    CHECK(exists(op("0F0.2"), slicedShape()));
    CHECK_FALSE(exists(op("0F0.3"), slicedShape()));
}
