#include "profiler/study/chart_kit.h"
#include "tests/catch.h"

using namespace profiler;

TEST_CASE("the marks of a history go from left to right and are higher for greater values")
{
    const MarkedScene chart = drawHistory({{"2026-11-01", 74, 73, 75},
                                           {"2026-11-02", 80, 79, 81, true, true},
                                           {"2026-11-03", 60, 60, 60}},
                                          "Iteration, ms");
    REQUIRE(chart.marks.size() == 3);
    for (std::size_t r = 0; r < 3; ++r)
        CHECK(chart.marks[r].point == r);
    CHECK(chart.marks[0].rect.x < chart.marks[1].rect.x);
    CHECK(chart.marks[1].rect.x < chart.marks[2].rect.x);
    CHECK(chart.marks[1].rect.y < chart.marks[0].rect.y);
    CHECK(chart.marks[0].rect.y < chart.marks[2].rect.y);
    CHECK(drawHistory({}, "Iteration, ms").marks.empty());
}
