#include "app/run/loss_plot.h"
#include "tests/catch.h"

#include <QImage>

#include <limits>

using namespace app;

namespace {

// Whether anything is drawn left of the plot, where the axis has its labels.
bool hasAxis(LossPlot& plot)
{
    const QImage image = plot.grab().toImage();
    const int width = static_cast<int>(24 * image.devicePixelRatio());
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < width; ++x)
            if (image.pixel(x, y) != image.pixel(0, 0))
                return true;
    return false;
}

} // namespace

// Before the first loss there was an axis from 0.0 to 1.0, whose labels were rounded to 0.3 and
// 0.8.
TEST_CASE("the plot of losses has an axis as soon as there is a loss")
{
    ThemeController theme;
    LossPlot plot(theme);
    plot.resize(400, 150);
    LossSeries series;
    series.planned = 7;
    plot.show(series);
    CHECK_FALSE(hasAxis(plot));
    series.points.push_back({.mean = 5.2, .microBatches = {}});
    plot.show(series);
    CHECK(hasAxis(plot));
}

// The sum of the planned iterations and the number of the next label overflowed, and the paint
// event never ended.
TEST_CASE("a run that plans the largest number of iterations has a plot of losses")
{
    constexpr int kMost = std::numeric_limits<int>::max();
    engine::Run run;
    run.info.plannedWarmup = run.info.plannedIterations = kMost;
    LossSeries series = lossSeries(run);
    CHECK(series.planned == kMost);
    series.points.push_back({.mean = 5.2, .microBatches = {}});
    ThemeController theme;
    LossPlot plot(theme);
    plot.resize(400, 150);
    plot.show(series);
    CHECK(hasAxis(plot));
}

// The numbers of the axis were dashes.
TEST_CASE("an infinite loss leaves the axis of the plot as it is")
{
    ThemeController theme;
    const auto axisOf = [&theme](double last) {
        LossPlot plot(theme);
        plot.resize(400, 150);
        LossSeries series;
        series.planned = 2;
        series.points = {{.mean = 5.2, .microBatches = {}}, {.mean = last, .microBatches = {}}};
        plot.show(series);
        const QImage image = plot.grab().toImage();
        return image.copy(0, 0, static_cast<int>(24 * image.devicePixelRatio()), image.height());
    };
    CHECK(axisOf(std::numeric_limits<double>::infinity()) == axisOf(5.2));
}
