#include "engine/schedule/check/validate.h"
#include "tests/support/golden.h"
#include "tests/support/measured.h"

using namespace engine;
using namespace tests;

namespace {

Schedule hanayo(int devices, int microBatches, int chunks)
{
    ScheduleRequest request = requestOf("hanayo", devices, microBatches);
    request.chunks = chunks;
    auto schedule = buildSchedule(request);
    REQUIRE(schedule);
    return *std::move(schedule);
}

} // namespace

TEST_CASE("Hanayo gives the golden orders, op for op")
{
    CHECK(programOf(hanayo(4, 4, 2)) == goldenProgram("hanayo/hanayo_d4_n4_v2.csv"));
    CHECK(programOf(hanayo(4, 4, 4)) == goldenProgram("hanayo/hanayo_d4_n4_v4.csv"));
    CHECK(programOf(hanayo(4, 8, 2)) == goldenProgram("hanayo/hanayo_d4_n8_v2.csv"));
    CHECK(programOf(hanayo(4, 8, 4)) == goldenProgram("hanayo/hanayo_d4_n8_v4.csv"));
}

TEST_CASE("Hanayo at N = D takes 3N+2(D-1)/W with W waves, and hands over at its turning points")
{
    for (const int devices : {1, 2, 4, 6, 8, 16, 32, 64})
        for (const int waves : {1, 2, 4}) {
            INFO("D=" << devices << " W=" << waves);
            const Schedule schedule = hanayo(devices, devices, 2 * waves);
            const Measured measures = measured(schedule);
            CHECK(validate(lower(schedule)).empty());
            CHECK(measures.iteration == 3 * devices + 2.0 * (devices - 1) / waves);
            CHECK(measures.span == measures.iteration);
            CHECK(measures.messages == 4 * devices * waves * (devices - 1));
            CHECK(measures.localCopies + measures.messages
                  == 2 * devices * (2 * waves * devices - 1));
            for (const double peak : measures.peakStash)
                CHECK(peak <= devices);
            CHECK(measures.weights == std::vector<double>(measures.weights.size(), 1));
        }
}

TEST_CASE("Hanayo of one wave repeats its unit every 4D-3/2")
{
    for (const int devices : {2, 4, 6, 8, 16, 32})
        for (const int units : {2, 3, 5, 8}) {
            const int microBatches = units * devices;
            INFO("D=" << devices << " N=" << microBatches);
            const Schedule schedule = hanayo(devices, microBatches, 2);
            CHECK(validate(lower(schedule)).empty());
            CHECK(measured(schedule).iteration
                  == 3 * microBatches + 2 * (devices - 1) + (units - 1) * (devices - 1.5));
        }
}

TEST_CASE("Hanayo takes any even number of chunks, and odd numbers of devices")
{
    for (const int devices : {3, 5, 9})
        for (const int chunks : {2, 4, 6, 10})
            CHECK(validate(lower(hanayo(devices, 3 * devices, chunks))).empty());
    ScheduleRequest request = requestOf("hanayo", 4, 8);
    request.chunks = 3;
    CHECK(buildSchedule(request).error().message
          == "hanayo needs an even number of chunks (two for each wave), not 3; the nearest is 4");
    request = requestOf("hanayo", 4, 6);
    CHECK(buildSchedule(request).error().message
          == "hanayo needs a number of micro-batches that is a multiple of the devices (4), not 6; "
             "the nearest is 8");
}
