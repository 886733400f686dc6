#include "app/run/run_panels.h"
#include "tests/catch.h"

#include <limits>
#include <variant>

using namespace app;

namespace {

// The labels of the axis, which are left of the plot.
std::vector<std::string> axisOf(const LossSeries& series)
{
    ChartLook look;
    look.style.width = 400;
    look.style.height = 150;
    std::vector<std::string> labels;
    const profiler::MarkedScene chart = lossChart(series, look);
    for (const auto& shape : chart.scene.groups.front().shapes)
        if (const auto* text = std::get_if<profiler::Text>(&shape); text && text->x < 34)
            labels.push_back(text->text);
    return labels;
}

} // namespace

// Before the first loss there was an axis from 0.0 to 1.0, whose labels were rounded to 0.3 and
// 0.8.
TEST_CASE("the plot of losses has an axis as soon as there is a loss")
{
    LossSeries series;
    series.planned = 7;
    CHECK(axisOf(series).empty());
    series.points.push_back({.mean = 5.2, .microBatches = {}});
    CHECK_FALSE(axisOf(series).empty());
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
    CHECK_FALSE(axisOf(series).empty());
}

// The numbers of the axis were dashes.
TEST_CASE("an infinite loss leaves the axis of the plot as it is")
{
    LossSeries series;
    series.planned = 2;
    series.points.assign(2, {.mean = 5.2, .microBatches = {}});
    const auto axis = axisOf(series);
    series.points.back().mean = std::numeric_limits<double>::infinity();
    CHECK(axisOf(series) == axis);
}
