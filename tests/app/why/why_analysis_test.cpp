#include "app/timeline/paint/lane_painter.h"
#include "app/why/why_panel.h"
#include "engine/schedule/notation.h"
#include "tests/app/simulated_run.h"

#include <QPainter>
#include <QPicture>
#include <QPixmap>

using namespace app;

namespace {

engine::Run slowLinks()
{
    engine::ScheduleRequest request;
    request.scheme = "gpipe";
    request.devices = 2;
    request.microBatches = 2;
    engine::UnitCosts costs;
    costs.p2p = {1};
    engine::Run run;
    run.schedule = engine::lower(engine::buildSchedule(request).value());
    const auto times = engine::unitOpCosts(run.schedule, costs).value();
    run.info.ticksPerUnit = times.ticksPerUnit;
    run.timeline = engine::simulate(run.schedule, times, {1}).value();
    return run;
}

bool isMarked(const engine::Run& run, const PathMarks& marks, const std::string& name)
{
    const engine::OpIndex index(run.schedule);
    for (std::uint32_t op = 0; op < index.count(); ++op)
        if (toString(engine::opAt(run.schedule, index, op)) == name)
            return marks.ops[op];
    FAIL("no op " << name);
    return false;
}

struct PaintedPath
{
    PaintedPath()
    {
        LaneOptions options;
        options.available = 300;
        lanes = layoutLanes(2, options);
        const BoxColours colours(theme, 1);
        QPixmap picture(600, 300);
        picture.fill(theme.chrome.surface);
        {
            QPainter painter(&picture);
            paintPath(painter, {*marks, {}, axis, colours, -1}, lanes);
        }
        image = picture.toImage();
    }

    engine::Run run = slowLinks();
    PathMarksPointer marks = makePathMarks(run, 0).value();
    engine::Window window = marks->why.path.window;
    TimeAxis axis{static_cast<double>(window.begin), static_cast<double>(window.end), 0, 600, 1};
    Theme theme = makeTheme(profiler::ThemeMode::Light);
    std::vector<Lane> lanes;
    QImage image;
};

} // namespace

TEST_CASE("both ends of a message of the path are marked, and ops off the path are not")
{
    const engine::Run run = slowLinks();
    const PathMarksPointer marks = makePathMarks(run, 0).value();
    CHECK(isMarked(run, *marks, "0F0"));
    CHECK(isMarked(run, *marks, "1RECV_F0"));
    CHECK(isMarked(run, *marks, "0SEND_F0"));
    CHECK(isMarked(run, *marks, "0B1"));
    CHECK_FALSE(isMarked(run, *marks, "0F1"));
    CHECK_FALSE(isMarked(run, *marks, "0SEND_F1"));
    CHECK(marks->has({0, 1, 0, 0}));
    CHECK_FALSE(marks->has({0, 1, 0, 1})); // of another iteration
}

TEST_CASE("numbers on the ruler are found where they are drawn, and do not overlap")
{
    std::vector<PathReason> reasons;
    for (const int number : {2, 0, 1, 3})
        reasons.push_back({number, {}, {}, {}, {10 * number, 10 * number + 20}, {}});
    std::ranges::sort(reasons, {}, [](const PathReason& reason) { return reason.window.begin; });
    for (const double width : {1000.0, 120.0}) {
        const TimeAxis axis{0, 60, 0, width, 1};
        const QRectF ruler(0, 0, 1000, 26);
        std::vector<int> pixels(reasons.size(), 0);
        for (int x = 0; x < 1000; ++x)
            if (const int found = reasonAt(reasons, axis, ruler, {x + 0.5, 10}); found >= 0)
                ++pixels[static_cast<std::size_t>(found)];
        for (std::size_t r = 0; r < reasons.size(); ++r)
            CHECK((pixels[r] >= 16) == (reasons[r].number > 0));
        CHECK(reasonAt(reasons, axis, ruler, {999, 10}) == -1);
    }
}

TEST_CASE("the line of the path is drawn on the lanes of its ops")
{
    const PaintedPath path;
    const auto inkAt = [&](const profiler::PathPart& part) {
        const Lane& lane = path.lanes[static_cast<std::size_t>(part.device.value)];
        const auto middle = static_cast<double>(part.window.begin + part.window.end) / 2;
        const auto x = static_cast<int>(path.axis.x(middle));
        const int y = static_cast<int>(lane.computeTop() + std::round(lane.compute * 32 / 42));
        const QColor ink = path.theme.chrome.text;
        return path.image.pixelColor(x, y - 1) == ink || path.image.pixelColor(x, y) == ink;
    };
    for (const profiler::PathPart& part : path.marks->why.path.parts)
        if (part.kind == profiler::PathPart::Kind::Work)
            CHECK(inkAt(part));
}

// The path of a run of 4 million ops blocked the window for 0.7 s at every paint.
TEST_CASE("a path of more parts than pixels is drawn with the points of its pixels")
{
    const PaintedPath small;
    PathMarks marks = *small.marks;
    auto& parts = marks.why.path.parts;
    parts.clear();
    for (std::int64_t i = 0; i < 100'000; ++i) // every part changes the device
        parts.push_back({profiler::PathPart::Kind::Transfer,
                         0,
                         engine::DeviceId{static_cast<std::int32_t>(i % 2)},
                         {i, i + 1}});
    const TimeAxis axis{0, 100'000, 0, 600, 1};
    const BoxColours colours(small.theme, 1);
    QPicture picture;
    {
        QPainter painter(&picture);
        paintPath(painter, {marks, {}, axis, colours, -1}, small.lanes);
    }
    CHECK(picture.size() < 500'000); // bytes; 100,000 points take 5 MB
}
