#include "app/timeline/plan/plan_painter.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QImage>
#include <QPainter>

TEST_CASE("the plan outlines the ops of the next iteration, and nothing before it")
{
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const auto run = sample::units({"1f1b", 2, 2, 1});
    const std::int64_t unit = run->info.ticksPerUnit;
    const app::PlanView plan{run.get(), 10 * unit};
    CHECK(plan.window() == engine::Window{10 * unit, 19 * unit}); // 3 (N + D - 1)
    app::Lane lane;
    lane.height = 58;
    // 40 pixels per unit, from 10 units on; the first op, 0F0, is 40 pixels wide.
    const app::TimeAxis axis{9.0 * static_cast<double>(unit), 19.0 * static_cast<double>(unit), 0,
                             400, 1};
    QImage image(400, 58, QImage::Format_RGB32);
    image.fill(theme.chrome.surface);
    QPainter painter(&image);
    paintPlan(painter, plan, engine::DeviceId{0}, lane, axis, theme);
    painter.end();
    const auto at = [&](int x, int y) { return image.pixelColor(x, y); };
    const int middle = 8 + 21;
    CHECK(at(20, middle) == theme.chrome.surface); // before the plan
    CHECK(at(40, middle) == theme.chrome.lineStrong);
    CHECK(at(60, middle) == theme.chrome.surface); // outlined, not filled
    CHECK(at(60, 8) == theme.chrome.lineStrong);
}

TEST_CASE("without a plan nothing is outlined")
{
    const app::PlanView none{nullptr, 5};
    CHECK(none.window().duration() == 0);
}
