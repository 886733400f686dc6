#include "engine/transport/matched.h"
#include "tests/catch.h"

using namespace engine;

namespace {

using Carries = Message::Carries;
constexpr DeviceId kA{0}, kB{1}, kC{2};

Message message(DeviceId from, DeviceId to, Carries carries = Carries::Activation)
{
    return {from, to, {}, {}, carries};
}

Collective sum(std::vector<DeviceId> members, int stage)
{
    Collective collective;
    collective.members = std::move(members);
    collective.stage = StageId{stage};
    return collective;
}

} // namespace

TEST_CASE("each directed pair and kind of message has a communicator, where it is first needed")
{
    Traffic traffic;
    traffic.messages = {message(kA, kB),
                        message(kB, kC),
                        message(kA, kB),
                        message(kB, kA, Carries::Gradient),
                        message(kA, kB, Carries::Gradient),
                        message(kB, kA, Carries::Gradient)};
    const CommunicatorPlans plans = planCommunicators(traffic);
    CHECK(plans.ofMessage == std::vector<std::size_t>{0, 1, 0, 2, 3, 2});
    constexpr auto kMessages = CommunicatorPlan::Carries::Messages;
    CHECK(plans.all
          == std::vector<CommunicatorPlan>{{"activations 0 -> 1", kMessages, {kA, kB}},
                                           {"activations 1 -> 2", kMessages, {kB, kC}},
                                           {"gradients 1 -> 0", kMessages, {kB, kA}},
                                           {"gradients 0 -> 1", kMessages, {kA, kB}}});
}

TEST_CASE("a sum of several devices has one behind the messages, each a rank once")
{
    Traffic traffic;
    traffic.messages = {message(kA, kB)};
    traffic.collectives = {sum({kA, kA}, 3), sum({kC, kA, kC, kB}, 5)};
    const CommunicatorPlans plans = planCommunicators(traffic);
    CHECK(plans.ofSum == std::vector<std::size_t>{CommunicatorPlans::kNone, 1});
    REQUIRE(plans.all.size() == 2);
    CHECK(plans.all[1]
          == CommunicatorPlan{
              "all-reduce of stage 5", CommunicatorPlan::Carries::Sums, {kC, kA, kB}});
}

TEST_CASE("the all-reduces of a stage by the same devices, one per update, share a communicator")
{
    Traffic traffic;
    traffic.collectives = {sum({kA, kC}, 3), sum({kB, kC}, 1), sum({kA, kC}, 3), sum({kA, kB}, 3)};
    const CommunicatorPlans plans = planCommunicators(traffic);
    CHECK(plans.ofSum == std::vector<std::size_t>{0, 1, 0, 2});
    CHECK(plans.all.size() == 3);
}

// 12 MiB for a channel to a neighbour (NCCL's buffers, communicators.h).
TEST_CASE("the memory of a communicator is one connection per channel and neighbour")
{
    constexpr Bytes kMega = Bytes{1} << 20;
    const auto of = [](CommunicatorPlan::Carries carries, std::size_t ranks) {
        return communicatorBytes({"", carries, std::vector<DeviceId>(ranks)});
    };
    CHECK(of(CommunicatorPlan::Carries::Messages, 2) == 2 * 12 * kMega);
    CHECK(of(CommunicatorPlan::Carries::Sums, 2) == 8 * 12 * kMega);
    CHECK(of(CommunicatorPlan::Carries::Sums, 3) == 8 * 12 * kMega * 2);
    CHECK(of(CommunicatorPlan::Carries::Sums, 8) == 8 * 12 * kMega * 2);
}
