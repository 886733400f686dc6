#include "engine/schedule/check/validate.h"
#include "tests/support/golden.h"
#include "tests/support/measured.h"

using namespace engine;
using namespace tests;

TEST_CASE("GEMS gives the golden orders, op for op")
{
    CHECK(programOf(scheduleOf("gems", 4, 4)) == goldenProgram("gems/gems_d4_n4.csv"));
    CHECK(programOf(scheduleOf("gems", 4, 8)) == goldenProgram("gems/gems_d4_n8.csv"));
}

TEST_CASE("GEMS takes 3D+(N-1)(2D+1), holds one activation and two models, for any D and N")
{
    for (const int devices : {1, 2, 3, 4, 7, 16, 63, 64})
        for (const int microBatches : {1, 2, 3, devices, 3 * devices + 1}) {
            INFO("D=" << devices << " N=" << microBatches);
            const Schedule schedule = scheduleOf("gems", devices, microBatches);
            const Measured gems = measured(schedule);
            const double makespan = 3.0 * devices + (microBatches - 1) * (2.0 * devices + 1);
            CHECK(validate(lower(schedule)).empty());
            CHECK(gems.iteration == makespan);
            // Where the last micro-batch goes up, no device works from the first moment to the
            // last.
            CHECK(gems.span == makespan - (microBatches % 2 == 0 ? devices - 1 : 0));
            CHECK(gems.bubbleRatio == Approx(1 - 3 * microBatches / makespan));
            CHECK(gems.messages == 2 * microBatches * (devices - 1));
            CHECK(gems.localCopies == 0);
            for (const double peak : gems.peakStash)
                CHECK(peak == 1);
            for (const double weights : gems.weights)
                CHECK(weights == 2);
        }
}
