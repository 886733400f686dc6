#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/path_painter.h"
#include "app/timeline/view/why_words.h"
#include "app/timeline/widget/timeline_painter.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QPainter>

using namespace app;

namespace {

// Two iterations of 1F1B, the first one fitted.
TimelineScene scene(const RunViewPointer& view
                    = std::make_shared<const RunView>(sample::units({"1f1b", 4, 8, 2})))
{
    TimelineScene shown;
    shown.view = view;
    LaneOptions options;
    shown.layout({1092, 654}, options);
    const ViewWindow fit = *shown.fitOf(0);
    const QRectF& lanes = shown.areas.lanes;
    shown.axis = {fit.begin, fit.end, lanes.left(), lanes.width(), 1};
    return shown;
}

} // namespace

TEST_CASE("a timeline without iterations shows the reason")
{
    TimelineScene empty;
    REQUIRE(empty.emptyTexts());
    CHECK(empty.emptyTexts()->fact == QStringLiteral("No iteration yet"));
    CHECK_FALSE(empty.fitOf(0));
    CHECK(empty.hit({200, 200}).kind == Selection::Kind::None);
    CHECK_FALSE(scene().emptyTexts());
}

TEST_CASE("what lies under a point is found where its box is drawn")
{
    TimelineScene shown = scene();
    const Selection first = shown.hit({160, 100});
    REQUIRE(first.kind == Selection::Kind::Op);
    CHECK(shown.boxOf(first).contains(QPointF(160, 100)));
    shown.selection = first;
    CHECK(shown.spoken().startsWith(QStringLiteral("0F0, ")));
    CHECK(shown.deviceAt({60, 100}) == 0);
    CHECK(shown.deviceAt({160, 100}) == -1); // not in the header
}

TEST_CASE("the note about the selection is the current one")
{
    TimelineScene shown = scene();
    CHECK(shown.currentNote() == -1);
    const Selection first = shown.hit({160, 100});
    shown.notes = {noteOn(shown.rangeBetween(300, 400)), noteOn(first)};
    shown.selection = first;
    CHECK(shown.currentNote() == 1);
    shown.selection = shown.rangeBetween(400, 300); // dragged from right to left
    CHECK(shown.currentNote() == 0);
}

TEST_CASE("the tail of a finished run is its reported iteration")
{
    TimelineScene shown = scene();
    CHECK(shown.tail() == *shown.fitOf(engine::reportedIteration(shown.view->timeline())));
    CHECK_FALSE(shown.fitOf(2));
    CHECK_FALSE(shown.fitOf(-1));
}

// The line ran through "peak 5.54" of the devices on which the pipeline fills.
TEST_CASE("the critical path does not cross the texts at the peaks of the memory")
{
    const Theme theme = makeTheme(profiler::ThemeMode::Light);
    const BoxColours colours(theme, 1);
    TimelineScene shown
        = scene(std::make_shared<const RunView>(sample::measured({"1f1b", 4, 8, 1})));
    shown.iteration = 0;
    shown.path = makePathMarks(shown.view->run(), 0).value();
    const auto inkInTexts = [&](const auto& paint) {
        QImage image(1092, 654, QImage::Format_RGB32);
        image.fill(theme.chrome.surface);
        QPainter painter(&image);
        paint(painter);
        const LanePainter lanes(painter, *shown.view, shown.axis, colours);
        int ink = 0;
        for (int device = 0; device < 4; ++device) {
            const auto peak
                = lanes.peakOf({device}, shown.lanes[static_cast<std::size_t>(device)], 0);
            REQUIRE(peak);
            const QRect text = peak->place.translated(0, shown.areas.lanes.top()).toAlignedRect();
            for (int x = text.left(); x <= text.right(); ++x)
                for (int y = text.top(); y <= text.bottom(); ++y)
                    ink += image.pixelColor(x, y) == theme.chrome.text ? 1 : 0;
        }
        return ink;
    };
    CHECK(inkInTexts([&](QPainter& painter) {
              painter.translate(0, shown.areas.lanes.top());
              paintPath(painter, {*shown.path, shown.axis, colours, -1}, shown.lanes);
              painter.resetTransform();
          })
          > 0);
    CHECK(inkInTexts(
              [&](QPainter& painter) { TimelinePainter(painter, shown, colours).paintMarks(); })
          == 0);
}
