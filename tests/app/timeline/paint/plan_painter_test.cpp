#include "app/timeline/paint/lane_painter.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QImage>
#include <QPainter>

namespace {

using app::Plan;
using app::PlanView;
using engine::DeviceId;

constexpr int kMiddle = 8 + 21; // of the lane of a Picture

// The plan of 1F1B with D = 2, N = 2, from 10 units on; 40 pixels per unit, from 9 units on.
struct Picture
{
    explicit Picture(const PlanView& plan)
    {
        app::Lane lane;
        lane.height = 58;
        const auto unit = static_cast<double>(run->info.ticksPerUnit);
        const app::TimeAxis axis{9 * unit, 19 * unit, 0, 400, 1};
        image.fill(theme.chrome.surface);
        const app::BoxColours colours(theme, 1);
        const app::RunView view(run);
        QPainter painter(&image);
        app::paintPlan({painter, view, axis, colours, {lane, lane}}, plan, {{DeviceId{0}}});
    }
    QColor at(int x, int y) const { return image.pixelColor(x, y); }

    static inline const auto run = sample::units({"1f1b", 2, 2, 1});
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    QImage image{400, 58, QImage::Format_RGB32};
};

const Plan& plan()
{
    static const Plan plan(Picture::run);
    return plan;
}

const std::int64_t kBegin = 10 * Picture::run->info.ticksPerUnit;

} // namespace

TEST_CASE("the plan outlines the ops of the next iteration, and nothing before it")
{
    const PlanView next{&plan(), kBegin};
    CHECK(next.window().duration() == 9 * Picture::run->info.ticksPerUnit); // 3 (N + D - 1)
    CHECK(next.reached() == kBegin);
    const Picture picture(next);
    const QColor line = picture.theme.chrome.lineStrong, ground = picture.theme.chrome.surface;
    CHECK(picture.at(20, kMiddle) == ground); // before the plan
    CHECK(picture.at(40, kMiddle) == line);
    CHECK(picture.at(60, kMiddle) == ground); // outlined, not filled
    CHECK(picture.at(60, 8) == line);
}

// Device 0 runs F0 F1 B0 B1. Device 1 begins its B0 at 2 units.
TEST_CASE("ops that have run are filled, and the next op of the device is outlined in its colour")
{
    const DeviceId first{0};
    const auto ops = plan().ops(first);
    const std::vector<int> done{plan().positionOf(ops[1].op), 0};
    const PlanView started{&plan(), kBegin, done};
    CHECK(started.next(first) == 1);
    const Picture picture(started);
    const QColor ground = picture.theme.chrome.surface;
    CHECK(picture.at(45, 12) != ground); // F0
    CHECK(picture.at(90, 12) == ground); // F1
    CHECK(picture.at(90, 8) != picture.theme.chrome.lineStrong);
    CHECK(picture.at(270, 8) == picture.theme.chrome.lineStrong); // B1, which is not next
    // Device 1 has run nothing, so no later time was reached by all.
    CHECK(started.reached() == kBegin + plan().ops(DeviceId{1})[0].begin);
}

TEST_CASE("an iteration that is being read is filled as a whole")
{
    const PlanView read{.plan = &plan(), .begin = kBegin, .isComplete = true};
    CHECK(read.reached() == read.window().end);
    CHECK(Picture(read).at(90, 12) != Picture(read).theme.chrome.surface);
}

TEST_CASE("a planned op is found at its time")
{
    const PlanView next{&plan(), kBegin};
    const auto ops = plan().ops(DeviceId{0});
    const auto* found = next.at(DeviceId{0}, static_cast<double>(kBegin + ops[1].begin) + 1);
    REQUIRE(found != nullptr);
    CHECK(found->op == ops[1].op);
    CHECK(next.at(DeviceId{0}, static_cast<double>(kBegin) - 1) == nullptr);
    CHECK(PlanView().at(DeviceId{0}, 0) == nullptr);
    CHECK(PlanView().window().duration() == 0);
}
