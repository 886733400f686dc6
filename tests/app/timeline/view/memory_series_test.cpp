#include "app/timeline/view/run_view.h"
#include "profiler/analysis/metrics.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

using app::MemorySeries;

TEST_CASE("the stash that is drawn peaks where the metrics say, in every scheme")
{
    std::vector<sample::Wish> wishes{{.scheme = "chimera", .options = {{"concat", "halving"}}}};
    for (const engine::Scheme& scheme : engine::schemes())
        wishes.push_back({.scheme = std::string(scheme.name)});
    for (const sample::Wish& wish : wishes) {
        INFO(wish.scheme);
        const auto run = sample::units(wish);
        const auto metrics = profiler::metrics(*run);
        REQUIRE(metrics);
        const auto series = app::stashFromSpans(*run);
        for (const engine::DeviceId d : series.ids())
            CHECK(series[d].peak() == Approx(metrics->devices[d].peakStash));
    }
}

TEST_CASE("recorded memory peaks where the metrics say")
{
    const auto run = sample::measured({"bitpipe", 4, 8, 2});
    const auto metrics = profiler::metrics(*run, 1);
    REQUIRE(metrics);
    const auto series = app::recordedMemory(*run);
    const auto window = run->timeline.iterations[1].window;
    for (const engine::DeviceId d : series.ids()) {
        const auto level
            = series[d].highest(static_cast<double>(window.begin), static_cast<double>(window.end));
        CHECK(level.total == Approx(static_cast<double>(*metrics->devices[d].peakBytes)));
        CHECK(series[d].timeOfPeak(window) == metrics->devices[d].timeOfPeak);
    }
}

TEST_CASE("a column shows the highest level within it and the level it begins with")
{
    MemorySeries series;
    for (int k = 0; k < 1000; ++k)
        series.add(k * 10, {0, k % 100 == 50 ? 9.0 : k % 100 == 51 ? -9.0 : 0.0, 0});
    series.close();
    CHECK(series.highest(0, 499).total == 0);
    CHECK(series.highest(0, 500).total == 9);
    CHECK(series.highest(505, 506).total == 9);
    CHECK(series.highest(515, 1499).total == 0);
    CHECK(series.highest(515, 9999).total == 9);
    CHECK(series.at(505).total == 9);
    CHECK(series.peak() == 9);
}

TEST_CASE("columns from left to right show what a search for each of them shows")
{
    MemorySeries series;
    for (int k = 0; k < 3000; ++k)
        series.add(k * 3 - k % 3,
                   {k % 7 == 0 ? 1.0 : 0.0,
                    static_cast<double>(k % 2 == 0 ? k % 23 : -((k - 1) % 23)), 0});
    series.close();
    for (const double step : {0.5, 2.0, 40.0, 700.0}) {
        MemorySeries::Sweep touching(series), apart(series);
        for (double x = -10; x < 9100; x += step) {
            const auto level = touching.highest(x, x + step);
            CHECK(level.total == series.highest(x, x + step).total);
            CHECK(level.base == series.highest(x, x + step).base);
            CHECK(apart.highest(x, x + step / 3).total == series.highest(x, x + step / 3).total);
        }
    }
}

TEST_CASE("where the columns of a sweep overlap, each still has its own highest level")
{
    MemorySeries series;
    series.add(0, {0, 1, 0});
    series.add(10, {0, 8, 0});
    series.add(11, {0, -8, 0});
    series.close();
    MemorySeries::Sweep sweep(series);
    CHECK(sweep.highest(0, 20).total == 9);
    CHECK(sweep.highest(5, 21).total == 9); // begins before the events of the last one
    CHECK(sweep.highest(11, 22).total == 1);
}
