#include "profiler/analysis/compare.h"
#include "tests/profiler/analysis/hand_made.h"

#include <cmath>

using namespace analysis_test;
using namespace engine;
using namespace profiler;

TEST_CASE("a point of a history has the change from the run before")
{
    UnitCosts slower;
    slower.forward = {2};
    const Run before = simulated("1f1b", 4, 8), run = simulated("1f1b", 4, 8, slower);
    const auto first = historyPoint(before, nullptr, "iteration").value();
    CHECK(units(before, std::llround(first.value.value().value)) == 33); // 3 (N + D - 1)
    CHECK_FALSE(first.change);
    const auto point = historyPoint(run, &before, "iteration").value();
    CHECK(point.conditions.empty());
    REQUIRE(point.change);
    CHECK(point.change->share() == Approx(1.0 / 3));
    CHECK(point.change->isDistinguishable());
    CHECK_FALSE(historyPoint(run, &before, "peak_bytes")->value); // no memory was recorded
}

TEST_CASE("runs of different conditions are marked and not compared")
{
    const Run before = simulated("1f1b", 4, 8);
    for (const auto& [run, conditions] :
         {std::pair(simulated("gpipe", 4, 8), "scheme"), std::pair(simulated("1f1b", 2, 8), "D"),
          std::pair(simulated("gpipe", 4, 4), "scheme, N")}) {
        const auto point = historyPoint(run, &before, "iteration").value();
        CHECK(point.conditions == conditions);
        CHECK_FALSE(point.change);
        CHECK(point.value);
    }
}
