#include "app/estimator/estimator_page.h"
#include "tests/catch.h"

#include <QImage>

using namespace app;

// The distance of ticks stopped at 100: a gain of 5e8 had five million ticks, and at 1e18 the next
// tick was the same number, so the paint event never ended.
TEST_CASE("a chart of any gain has few ticks")
{
    ThemeController theme;
    SpeedUpChart chart(theme);
    chart.resize(600, 248);
    for (const double gain : {1.3, 5e8, 1e18}) {
        chart.show({{.from = 1, .to = 2, .gain = gain, .needed = 1.05}}, 2);
        CHECK_FALSE(chart.grab().toImage().isNull());
    }
}
