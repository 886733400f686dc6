#include "engine/schedule/check/validate.h"
#include "tests/support/golden.h"
#include "tests/support/measured.h"

#include <random>

using namespace engine;
using namespace tests;

namespace {

std::string errorOf(const std::string& scheme, int devices, int microBatches)
{
    const auto schedule = buildSchedule(requestOf(scheme, devices, microBatches));
    REQUIRE_FALSE(schedule);
    return schedule.error().message;
}

} // namespace

TEST_CASE("DualPipe and DualPipeV give the golden orders, op for op, with their joint pairs")
{
    const Schedule dual = scheduleOf("dualpipe", 4, 8);
    CHECK(programOf(dual) == goldenProgram("dualpipe/dualpipe_d4_n8.csv"));
    CHECK(pairsOf(dual) == goldenPairs("dualpipe/dualpipe_d4_n8.pairs.csv"));
    const Schedule half = scheduleOf("dualpipev", 4, 8);
    CHECK(programOf(half) == goldenProgram("dualpipev/dualpipev_d4_n8_v2.csv"));
    CHECK(pairsOf(half) == goldenPairs("dualpipev/dualpipev_d4_n8_v2.pairs.csv"));
}

TEST_CASE("DualPipe takes 3N+2(D/2-1) where F&B takes 3, holds D+1 everywhere and two models")
{
    for (const int devices : {2, 4, 6, 8, 10, 16, 32, 64})
        for (const int microBatches : {2 * devices, 2 * devices + 2, 3 * devices, 8 * devices}) {
            INFO("D=" << devices << " N=" << microBatches);
            const Schedule schedule = scheduleOf("dualpipe", devices, microBatches);
            const Measured dual = measured(schedule);
            CHECK(validate(lower(schedule)).empty());
            CHECK(dual.iteration == 3 * microBatches + devices - 2);
            CHECK(dual.bubbleRatio
                  == Approx((devices - 2) / (3.0 * microBatches + devices - 2)).margin(1e-12));
            CHECK(dual.messages == 2 * microBatches * (devices - 1));
            CHECK(dual.localCopies == 0);
            for (const double peak : dual.peakStash)
                CHECK(peak == devices + 1);
            for (const double weights : dual.weights)
                CHECK(weights == 2);
        }
}

TEST_CASE("DualPipeV takes 3N+(D-1) where F&B takes 3, holds D+1/2 everywhere and one model")
{
    for (const int devices : {1, 2, 3, 4, 5, 8, 13, 16, 32, 64})
        for (const int microBatches : {2 * devices, 2 * devices + 1, 3 * devices, 8 * devices}) {
            INFO("D=" << devices << " N=" << microBatches);
            const Schedule schedule = scheduleOf("dualpipev", devices, microBatches);
            const Measured half = measured(schedule);
            CHECK(validate(lower(schedule)).empty());
            CHECK(half.iteration == 3 * microBatches + devices - 1);
            CHECK(half.messages == 4 * microBatches * (devices - 1));
            CHECK(half.localCopies == 2 * microBatches);
            for (const double peak : half.peakStash)
                CHECK(peak == devices + 0.5);
            for (const double weights : half.weights)
                CHECK(weights == 1);
        }
}

TEST_CASE("run one behind the other, the ops of a joint pair would end half a unit or more earlier")
{
    const auto apart = [](Schedule schedule) {
        for (auto& ops : schedule.program)
            for (Op& op : ops)
                op.flags = OpFlag::None;
        return measured(schedule).iteration;
    };
    CHECK(apart(scheduleOf("dualpipe", 4, 8)) == 25);
    CHECK(apart(scheduleOf("dualpipe", 8, 16)) == 51);
    CHECK(apart(scheduleOf("dualpipev", 4, 8)) == 25.5);
    CHECK(measured(scheduleOf("dualpipe", 8, 16)).iteration == 54);
}

TEST_CASE("DualPipe and DualPipeV are valid at random sizes")
{
    std::mt19937 random(20241225);
    for (int round = 0; round < 25; ++round) {
        const int half = std::uniform_int_distribution<int>(1, 12)(random);
        const int more = std::uniform_int_distribution<int>(0, 30)(random);
        CHECK(validate(lower(scheduleOf("dualpipe", 2 * half, 4 * half + 2 * more))).empty());
        CHECK(validate(lower(scheduleOf("dualpipev", half, 2 * half + more))).empty());
    }
}

TEST_CASE("DualPipe and DualPipeV name their requirements")
{
    CHECK(errorOf("dualpipe", 5, 20)
          == "dualpipe needs an even number of devices, not 5; the nearest is 6");
    CHECK(errorOf("dualpipe", 4, 9)
          == "dualpipe needs a number of micro-batches that is a multiple of the directions (2), "
             "not 9; the nearest is 10");
    CHECK(errorOf("dualpipe", 4, 4)
          == "dualpipe needs at least twice as many micro-batches as devices (8), not 4");
    CHECK(errorOf("dualpipev", 4, 7)
          == "dualpipev needs at least twice as many micro-batches as devices (8), not 7");
}
