#include "app/timeline/paint/lane_painter.h"
#include "tests/app/sample_run.h"
#include "tests/app/simulated_run.h"
#include "tests/catch.h"

#include <QImage>
#include <QPainter>

namespace {

// The lanes of `devices` devices, each at the same place, so that one of them is painted at the
// top.
std::vector<app::Lane> onlyLane(std::size_t device, std::size_t devices = 1)
{
    std::vector<app::Lane> lanes(devices, {.isHidden = true});
    lanes[device] = {.kind = app::LaneKind::Dense, .top = -1, .height = 44};
    return lanes;
}

// 1F1B, D = 4, N = 4: 21 units of one F each. 20 pixels a unit.
struct PaintedLane
{
    explicit PaintedLane(double pixelsPerUnit,
                         profiler::ThemeMode mode = profiler::ThemeMode::Light,
                         std::optional<app::Flow> flow = {}, double dpr = 1)
        : theme(app::makeTheme(mode))
        , run(sample::units({"1f1b", 4, 4, 1}))
        , view(run)
        , colours(theme, dpr)
    {
        const auto extent = view.extent();
        const double units
            = static_cast<double>(extent.duration()) / static_cast<double>(run->info.ticksPerUnit);
        axis = {0, static_cast<double>(extent.end), 0, units * pixelsPerUnit, dpr};
        image = QImage(static_cast<int>(axis.width * dpr), static_cast<int>(42 * dpr),
                       QImage::Format_RGB32);
        image.setDevicePixelRatio(dpr);
        image.fill(theme.chrome.surface);
        QPainter painter(&image);
        app::paintBoxes({painter, view, axis, colours, onlyLane(0)}, app::Labels::Names, {flow});
    }

    QColor at(int x, int y) const { return image.pixelColor(x, y); }
    QColor fill(engine::OpKind kind) const
    {
        return colours.look(kind, 0, app::BoxColours::Emphasis::Normal).fill;
    }

    app::Theme theme;
    std::shared_ptr<const engine::Run> run;
    app::RunView view;
    app::BoxColours colours;
    app::TimeAxis axis;
    QImage image;
};

} // namespace

TEST_CASE("boxes are filled to their pixels and the border between them is the surface")
{
    const PaintedLane lane(20);
    CHECK(lane.at(0, 1) == lane.fill(engine::OpKind::Forward));
    CHECK(lane.at(18, 40) == lane.fill(engine::OpKind::Forward));
    CHECK(lane.at(19, 1) == lane.theme.chrome.surface);
    CHECK(lane.at(20, 1) == lane.fill(engine::OpKind::Forward));
    CHECK(lane.at(10 * 20 + 2, 1) == lane.fill(engine::OpKind::Backward)); // 0B0: 10 .. 12
}

// Whether a box had a number depended on where it began: at 10.6 pixels per unit, F1 and F3 snap to
// 10 pixels and had none, unlike F0 and F2.
TEST_CASE("all boxes of one duration have a number, or none has")
{
    const auto numbers = [](const PaintedLane& lane, double pixelsPerUnit) {
        int found = 0;
        for (int op = 0; op < 4; ++op) {
            const int left = static_cast<int>(std::lround(op * pixelsPerUnit));
            bool hasInk = false;
            for (int x = left + 1; x < left + 8; ++x)
                for (int y = 14; y < 28; ++y)
                    hasInk = hasInk || lane.at(x, y) != lane.fill(engine::OpKind::Forward);
            found += hasInk ? 1 : 0;
        }
        return found;
    };
    CHECK(numbers(PaintedLane(10.6), 10.6) == 4);
    CHECK(numbers(PaintedLane(10.4), 10.4) == 0);
}

// Every box chose its own text: 0B0 beside 4 beside nothing.
TEST_CASE("the boxes of a lane all have names, or numbers, or nothing")
{
    const auto inks = [](const PaintedLane& lane, double left, double width) {
        std::size_t inked = 0;
        for (int x = static_cast<int>(left) + 1; x < static_cast<int>(left + width) - 2; ++x)
            for (int y = 12; y < 30; ++y)
                inked += lane.at(x, y) != lane.at(static_cast<int>(left) + 1, 2) ? 1 : 0;
        return inked;
    };
    // At 30 pixels a unit, B has 60 pixels, which fit its name, and F has 30, which do not.
    const PaintedLane numbers(30), names(50), none(8);
    CHECK(inks(numbers, 0, 30) > 0);
    CHECK(inks(numbers, 10 * 30, 60) < 2 * inks(numbers, 0, 30));
    CHECK(inks(names, 10 * 50, 100) > 2 * inks(numbers, 10 * 30, 60));
    CHECK(inks(none, 0, 8) == 0);
    CHECK(inks(none, 10 * 8, 16) == 0); // wide enough for its number
}

TEST_CASE("a bubble is hatched: ground and line, nothing else")
{
    const PaintedLane lane(20);
    const QColor ground = app::toQt(lane.theme.palette.bubble);
    const QColor line = app::toQt(lane.theme.palette.bubbleLine);
    int grounds = 0, lines = 0;
    for (int x = 4 * 20; x < 10 * 20 - 1; ++x) { // after 0F3 until 0B0
        const QColor colour = lane.at(x, 20);
        grounds += colour == ground;
        lines += colour == line;
    }
    CHECK(grounds + lines == 6 * 20 - 1);
    CHECK(grounds > 40);
    CHECK(lines > 10);
}

// The bubble, which the program is about, had a contrast of 1.2 to its lane.
TEST_CASE("the hatch of a bubble has a contrast of 3 to its ground and to the lane")
{
    for (const auto mode : {profiler::ThemeMode::Light, profiler::ThemeMode::Dark}) {
        const profiler::Palette& palette = app::makeTheme(mode).palette;
        CHECK(profiler::contrast(palette.bubbleLine, palette.bubble) >= 3);
        CHECK(profiler::contrast(palette.bubbleLine, palette.surface) >= 3);
    }
}

TEST_CASE("a bubble has an edge, and under eight pixels it is solid")
{
    for (const auto mode : {profiler::ThemeMode::Light, profiler::ThemeMode::Dark}) {
        const PaintedLane wide(20, mode), narrow(1.3, mode); // 0F3 until 0B0: 6 units
        const QColor edge = app::toQt(wide.theme.palette.bubbleLine),
                     solid = app::toQt(wide.theme.palette.bubbleSolid);
        for (int x = 4 * 20; x < 10 * 20 - 1; ++x)
            CHECK((wide.at(x, 0) == edge && wide.at(x, 41) == edge && wide.at(x, 20) != solid));
        CHECK(wide.at(4 * 20, 20) == edge);
        CHECK(wide.at(10 * 20 - 2, 20) == edge);
        CHECK(narrow.at(8, 0) == edge);
        CHECK(narrow.at(8, 20) == solid);
        CHECK(narrow.at(8, 41) == edge);
    }
}

TEST_CASE("the longest bubble of a device has a plate with its cause and length, if it fits")
{
    const auto run = sample::units({"1f1b", 4, 4, 1});
    const app::RunView view(run);
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const app::BoxColours colours(theme, 1);
    const auto end = static_cast<double>(view.extent().end);
    const auto plate = [&](double pixelsPerUnit, app::LaneKind kind) {
        const double width = end / static_cast<double>(run->info.ticksPerUnit) * pixelsPerUnit;
        QImage image(static_cast<int>(width), 58, QImage::Format_RGB32);
        image.fill(Qt::red);
        QPainter painter(&image);
        const std::vector<app::Lane> lanes{
            {kind, 0, 58}, {.isHidden = true}, {.isHidden = true}, {.isHidden = true}};
        const app::TimeAxis axis{0, end, 0, width, 1};
        app::paintPlates({painter, view, axis, colours, lanes}, 0);
        painter.end();
        int painted = 0;
        for (int x = 0; x < image.width(); ++x)
            painted += image.pixelColor(x, 20) == theme.chrome.text2 ? 1 : 0; // its upper edge
        return painted;
    };
    const int full = plate(20, app::LaneKind::Full), withUnit = plate(10, app::LaneKind::Full),
              length = plate(6, app::LaneKind::Full);
    CHECK(full > withUnit);
    CHECK(withUnit > length);
    CHECK(length > 0);
    CHECK(plate(4, app::LaneKind::Full) == 0);
    CHECK(plate(20, app::LaneKind::Dense) == 0);
}

TEST_CASE("under three pixels a column shows exact shares: B below F below bubble")
{
    const PaintedLane lane(1); // 4 F of one pixel each: all F; 6 of bubble; then 2 B 1 ...
    CHECK(lane.at(1, 20) == lane.fill(engine::OpKind::Forward));
    const PaintedLane half(0.5); // a pixel is two units
    CHECK(half.at(1, 1) == half.fill(engine::OpKind::Forward));
    // 10.5 pixels: 16..18 holds one B (2 units); 4B F: ask the index what is right.
    for (int x = 0; x < half.image.width(); ++x) {
        const auto busy
            = half.view.shares(engine::DeviceId{0}, half.axis.time(x), half.axis.time(x + 1));
        const double duration = half.axis.time(1) - half.axis.time(0);
        const auto rows = [&](app::Share share) {
            return static_cast<int>(
                std::lround(busy[static_cast<std::size_t>(share)] / duration * 42));
        };
        int backward = 0, forward = 0;
        for (int y = 0; y < 42; ++y) {
            backward += half.at(x, y) == half.fill(engine::OpKind::Backward);
            forward += half.at(x, y) == half.fill(engine::OpKind::Forward);
        }
        if (static_cast<double>(half.view.extent().end) < half.axis.time(x + 1))
            continue; // the last, cut column
        CHECK(std::abs(backward - rows(app::Share::Backward)) <= 1);
        CHECK(std::abs(forward - rows(app::Share::Forward)) <= 1);
    }
}

TEST_CASE("the flow of a micro-batch keeps its boxes and dims the others")
{
    for (const auto mode : {profiler::ThemeMode::Light, profiler::ThemeMode::Dark}) {
        const PaintedLane lane(20, mode, app::Flow{engine::MicroBatchId{1}, 0});
        const QColor full = lane.fill(engine::OpKind::Forward);
        CHECK(lane.at(20, 1) == full); // 0F1
        const QColor dimmed
            = app::mixed(full, lane.theme.chrome.surface, lane.theme.isDark() ? 0.46 : 0.44);
        CHECK(lane.at(0, 1) == dimmed); // 0F0
    }
}

TEST_CASE("a selected category of time keeps its boxes and fades the others")
{
    for (const auto mode : {profiler::ThemeMode::Light, profiler::ThemeMode::Dark}) {
        PaintedLane lane(20, mode);
        const auto paint = [&](profiler::TimeCategory category) {
            const app::CategoryBoxes boxes(lane.view, 0, category);
            lane.image.fill(lane.theme.chrome.surface);
            QPainter painter(&lane.image);
            app::paintBoxes({painter, lane.view, lane.axis, lane.colours, onlyLane(0)},
                            app::Labels::Names, {.category = &boxes});
        };
        const QColor forward = lane.fill(engine::OpKind::Forward),
                     edge = app::toQt(lane.theme.palette.bubbleLine);
        paint(profiler::TimeCategory::Forward);
        CHECK(lane.at(2, 1) == forward);
        CHECK(lane.at(10 * 20 + 2, 1)
              == app::mixed(lane.fill(engine::OpKind::Backward), lane.theme.chrome.surface,
                            lane.theme.isDark() ? 0.54 : 0.56));
        CHECK(lane.at(5 * 20, 0) != edge);
        paint(profiler::TimeCategory::Wait); // 0F3 until 0B0
        CHECK(lane.at(2, 1) != forward);
        CHECK(lane.at(5 * 20, 0) == edge);
        paint(profiler::TimeCategory::Drain); // there is none on device 0
        CHECK(lane.at(5 * 20, 0) != edge);
    }
}

// The number of the chosen micro-batch was bold only in boxes of one op.
TEST_CASE("the flow of a micro-batch is bold in the half of a joint box")
{
    const auto run = sample::units({"dualpipe", 4, 8, 1});
    const app::RunView view(run);
    const engine::OpIndex index(run->schedule);
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const app::BoxColours colours(theme, 1);
    const auto extent = view.extent();
    const auto ticks = static_cast<double>(run->info.ticksPerUnit);
    const double width = static_cast<double>(extent.duration()) / ticks * 20;
    const app::TimeAxis axis{0, static_cast<double>(extent.end), 0, width, 1};
    const auto painted = [&](engine::DeviceId device, std::optional<app::Flow> flow) {
        QImage image(static_cast<int>(width), 42, QImage::Format_RGB32);
        image.fill(theme.chrome.surface);
        QPainter painter(&image);
        app::paintBoxes(
            {painter, view, axis, colours, onlyLane(static_cast<std::size_t>(device.value), 4)},
            app::Labels::Names, {flow});
        painter.end();
        return image;
    };
    for (const engine::Track& track : run->timeline.tracks)
        for (const engine::Span& span : track.spans) {
            const engine::Op& op = engine::opAt(run->schedule, index, span.op);
            if (op.flags != engine::OpFlag::JointWithNext)
                continue;
            const bool isForward = op.kind == engine::OpKind::Forward;
            const QRect half(
                static_cast<int>(axis.x(static_cast<double>(span.begin))), isForward ? 0 : 21,
                static_cast<int>(axis.pixels(static_cast<double>(span.window().duration()))), 20);
            const QImage bold = painted(track.device, app::Flow{op.microBatch, 0}).copy(half);
            CHECK(bold != painted(track.device, {}).copy(half));
            return;
        }
    FAIL("no joint ops");
}

// Only boxes of optimizer steps were dimmed by a search or beside a critical path.
TEST_CASE("a search and a path dim the optimizer steps of columns, and a flow does not")
{
    const auto run = sample::measured({"1f1b", 2, 4, 1});
    const app::RunView view(run);
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const app::BoxColours colours(theme, 1);
    const engine::Track& track = run->timeline.tracks.front();
    const engine::Span& step = track.spans.back();
    REQUIRE(view.op(step.op).kind == engine::OpKind::OptimizerStep);
    const app::TimeAxis axis{static_cast<double>(step.begin), static_cast<double>(step.end), 0, 9,
                             1};
    app::Lane lane;
    lane.group.devices = {track.device.value}; // drawn as columns
    const app::PathMarks path{};
    const app::Found found(view, *app::parseFind(QStringLiteral("op:F")));
    const auto painted = [&](const app::Highlights& highlights) {
        QImage image(9, 60, QImage::Format_RGB32);
        QPainter painter(&image);
        app::paintLanes({painter, view, axis, colours, {lane}}, {{track.device}}, 0, highlights);
        painter.end();
        return image.pixelColor(4, 30);
    };
    using enum app::BoxColours::Emphasis;
    const auto fill = [&colours](app::BoxColours::Emphasis how) {
        return colours.look(engine::OpKind::OptimizerStep, 0, how).fill;
    };
    CHECK(painted({}) == fill(Normal));
    CHECK(painted({app::Flow{engine::MicroBatchId{1}, 0}}) == fill(Normal));
    CHECK(painted({.path = &path}) == fill(OffPath));
    CHECK(painted({.found = &found, .path = &path}) == fill(Dimmed));
}

TEST_CASE("a device pixel ratio of two paints the same picture, twice as fine")
{
    const PaintedLane lane(20, profiler::ThemeMode::Light, {}, 2);
    CHECK(lane.at(0, 2) == lane.fill(engine::OpKind::Forward));
    CHECK(lane.at(37, 2) == lane.fill(engine::OpKind::Forward));
    CHECK(lane.at(38, 2) == lane.theme.chrome.surface);
    CHECK(lane.at(39, 2) == lane.theme.chrome.surface);
    CHECK(lane.at(40, 2) == lane.fill(engine::OpKind::Forward));
}

TEST_CASE("a recompute has the fill of its forward under lighter lines, and its short name")
{
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const app::BoxColours colours(theme, 1);
    const auto& forward
        = colours.look(engine::OpKind::Forward, 0, app::BoxColours::Emphasis::Normal);
    const auto& again
        = colours.look(engine::OpKind::Recompute, 0, app::BoxColours::Emphasis::Normal);
    QImage image(60, 42, QImage::Format_RGB32);
    {
        QPainter painter(&image);
        const app::TimeAxis axis{0, 60, 0, 60, 1};
        app::BoxPainter(painter, axis, colours).draw(QRectF(0, 0, 60, 42), again, {});
    }
    int fills = 0, lighter = 0;
    for (int x = 0; x < 59; ++x) {
        fills += image.pixelColor(x, 20) == forward.fill ? 1 : 0;
        lighter += image.pixelColor(x, 20).lightnessF() > forward.fill.lightnessF() ? 1 : 0;
    }
    CHECK(fills + lighter == 59);
    CHECK(lighter > 5);
    CHECK(fills > 30);
    CHECK(again.flat != forward.flat); // in boxes too narrow for lines
    engine::Op op;
    op.kind = engine::OpKind::Recompute;
    op.stage = engine::StageId{1};
    op.microBatch = engine::MicroBatchId{5};
    CHECK(app::boxText(op, 60).name == QStringLiteral("1RC5"));
    CHECK(app::boxText(op, 30).number == QStringLiteral("5")); // no room for the name
    CHECK(app::boxText(op, 30).name.isEmpty());
}

// A comparison counted a device without a trace as idle.
TEST_CASE("the mean of devices leaves out those without a trace")
{
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const app::BoxColours colours(theme, 1);
    const app::RunView view(
        std::make_shared<const engine::Run>(withoutLastTrace(simulatedRun({"1f1b", 2, 4}))));
    const engine::Window window = view.extent();
    const app::TimeAxis axis{0, static_cast<double>(window.end), 0, 200, 1};
    const auto painted = [&](const std::vector<int>& devices) {
        QImage image(200, 20, QImage::Format_RGB32);
        image.fill(theme.chrome.surface);
        QPainter painter(&image);
        app::paintMean({painter, view, axis, colours, {}}, devices, window, 0, 20);
        return image;
    };
    CHECK(painted({0, 1}) == painted({0}));
    CHECK(painted({1}) != painted({0}));
}
