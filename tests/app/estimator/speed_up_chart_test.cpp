#include "app/estimator/estimator_page.h"
#include "tests/catch.h"

using namespace app;

// The distance of ticks stopped at 100: a gain of 5e8 had five million ticks, and at 1e18 the next
// tick was the same number, so the paint event never ended.
TEST_CASE("a chart of any gain has few ticks")
{
    for (const double gain : {1.3, 5e8, 1e18}) {
        const auto chart
            = speedUpChart({{.from = 1, .to = 2, .gain = gain, .needed = 1.05}}, 2, ChartLook());
        CHECK(chart.scene.groups.front().shapes.size() < 100);
    }
}

TEST_CASE("every point of the chart has a text: the steps, then the published cases")
{
    const std::vector<BpipeStep> steps{{1, 2, 1.3, 1.05}, {2, 4, 1.1, 1.1}};
    const auto chart = speedUpChart(steps, 2, ChartLook());
    REQUIRE(chart.marks.size() == steps.size() + bpipeCases().size());
    CHECK(speedUpText(steps, 0)
          == QStringLiteral("b 1 to 2: a gain of 1.30× in stage MFU gives 1.24×"));
    CHECK(speedUpText(steps, 2) == bpipeCases().front().text());
}
