#include "app/estimator/speed_up_chart.h"
#include "tests/catch.h"

#include <QImage>

#include <algorithm>

using namespace app;

// The label of LLaMA 65B was painted over the grey dot of the step from 2 to 4.
TEST_CASE("no label covers a dot")
{
    ThemeController theme;
    SpeedUpChart chart(theme);
    chart.resize(522, 256);
    chart.show({{.from = 1, .to = 2, .gain = 1.339, .needed = 1.052},
                {.from = 2, .to = 4, .gain = 1.02, .needed = 1.099}},
               2);
    const QImage image = chart.grab().toImage();
    const QColor grey = theme.theme().chrome.text3;
    constexpr int kDot = 8; // its diameter; 32 pixels or more lie completely inside
    int most = 0;
    for (int left = 0; left + kDot < image.width(); ++left)
        for (int top = 0; top + kDot < image.height(); ++top) {
            const bool mayBeDot = image.pixelColor(left + kDot / 2, top + kDot / 2) == grey;
            int pixels = 0;
            for (int at = 0; mayBeDot && at < kDot * kDot; ++at)
                pixels += image.pixelColor(left + at % kDot, top + at / kDot) == grey ? 1 : 0;
            most = std::max(most, pixels);
        }
    CHECK(most >= 29);
}

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
