#include "app/timeline/view/find.h"
#include "app/timeline/widget/timeline_widget.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QApplication>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

namespace {

using app::Selection;
using app::TimelineWidget;

constexpr QPoint kDevice0(160, 100); // in its compute lane, in the first box

struct ShownTimeline
{
    explicit ShownTimeline(std::shared_ptr<const engine::Run> run
                           = sample::units({"1f1b", 4, 8, 1}))
    {
        widget.resize(1092, 654);
        widget.setRun(std::move(run), TimelineWidget::View::FitIteration);
        widget.show();
    }

    QImage picture() // without what the pointer adds
    {
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&widget, &leave);
        return widget.grab().toImage();
    }
    void wheel(QPoint at, int notches, Qt::KeyboardModifiers modifiers = {})
    {
        QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&widget, &event);
    }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(&widget, Qt::LeftButton, modifiers, from);
        QTest::mouseMove(&widget, (from + to) / 2);
        QTest::mouseMove(&widget, to);
        QTest::mouseRelease(&widget, Qt::LeftButton, modifiers, to);
    }
    const Selection& selection() { return widget.selection(); }

    app::ThemeController theme;
    TimelineWidget widget{theme};
};

// As it stands after its first iterations; a later one is a longer run.
std::shared_ptr<const engine::Run> growing(int iterations)
{
    auto run = *sample::measured({"1f1b", 4, 4, iterations});
    run.info.outcome = engine::Outcome::Running;
    return std::make_shared<const engine::Run>(std::move(run));
}

} // namespace

TEST_CASE("without a run or an iteration the timeline shows a text")
{
    ShownTimeline shown(nullptr);
    CHECK(shown.widget.findChild<QWidget*>(QStringLiteral("timelineEmpty")));
    auto run = std::make_shared<engine::Run>(*sample::units());
    run->timeline = {};
    shown.widget.setRun(run, TimelineWidget::View::FitIteration);
    CHECK(shown.widget.findChild<QWidget*>(QStringLiteral("timelineEmpty")));
    CHECK(shown.widget.iteration() == -1);
    QTest::keyClick(&shown.widget, Qt::Key_0); // and nothing breaks
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, kDevice0);
    shown.widget.setRun(sample::units(), TimelineWidget::View::FitIteration);
    CHECK_FALSE(shown.widget.findChild<QWidget*>(QStringLiteral("timelineEmpty")));
}

TEST_CASE("a click selects the op under the pointer, Esc selects nothing")
{
    ShownTimeline shown;
    QSignalSpy spy(&shown.widget, &TimelineWidget::selectionChanged);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, kDevice0);
    CHECK(shown.selection().kind == Selection::Kind::Op);
    CHECK(shown.selection().device == engine::DeviceId{0});
    CHECK(shown.selection().window.begin == 0);
    CHECK(spy.count() == 1);
    CHECK(shown.widget.accessibleDescription().startsWith(QLatin1String("0F0 forward, device")));
    QTest::keyClick(&shown.widget, Qt::Key_Escape);
    CHECK(shown.selection().kind == Selection::Kind::None);
    CHECK(spy.count() == 2);
}

TEST_CASE("a drag measures a range, with Shift it pans")
{
    ShownTimeline shown;
    shown.drag({400, 100}, {600, 100});
    REQUIRE(shown.selection().kind == Selection::Kind::Range);
    const double ticksPerPixel = static_cast<double>(shown.selection().window.duration()) / 200;
    const QImage before = shown.picture();
    QTest::keyClick(&shown.widget, Qt::Key_Escape);
    shown.drag({400, 100}, {300, 100}, Qt::ShiftModifier);
    CHECK(shown.selection().kind == Selection::Kind::None);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, kDevice0);
    // 100 pixels further right: what lies at 160 now lay at 260.
    const auto begin = static_cast<double>(shown.selection().window.begin);
    CHECK(begin <= (260 - 150) * ticksPerPixel);
    CHECK(static_cast<double>(shown.selection().window.end) >= (260 - 150) * ticksPerPixel - 1);
}

TEST_CASE("the wheel zooms and leaves what is under the pointer there")
{
    ShownTimeline shown;
    const QPoint at(500, 100);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, at);
    const Selection before = shown.selection();
    REQUIRE(before.kind != Selection::Kind::None);
    for (int k = 0; k < 8; ++k)
        shown.wheel(at, 1);
    QTest::keyClick(&shown.widget, Qt::Key_Escape);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, at);
    CHECK(shown.selection() == before);
}

TEST_CASE("keys move through the zoom history, and 0 and Home fit")
{
    ShownTimeline shown;
    const QImage fitted = shown.picture();
    shown.wheel({500, 100}, 3);
    const QImage zoomed = shown.picture();
    CHECK(zoomed != fitted);
    QTest::keyClick(&shown.widget, Qt::Key_Left, Qt::AltModifier);
    CHECK(shown.picture() == fitted);
    QTest::keyClick(&shown.widget, Qt::Key_Right, Qt::AltModifier);
    CHECK(shown.picture() == zoomed);
    QTest::keyClick(&shown.widget, Qt::Key_Home);
    CHECK(shown.picture() == fitted);
    shown.wheel({500, 100}, 3);
    QTest::keyClick(&shown.widget, Qt::Key_0);
    CHECK(shown.picture() == fitted);
}

// The dozens of events of a touchpad filled the history, so that no earlier view could be reached.
TEST_CASE("one gesture of the wheel is one step of the zoom history")
{
    ShownTimeline shown;
    const QImage fitted = shown.picture();
    for (int k = 0; k < 3; ++k)
        shown.wheel({500, 100}, 1);
    const QImage zoomed = shown.picture();
    QTest::keyClick(&shown.widget, Qt::Key_Right); // ends the gesture
    shown.wheel({500, 100}, 1);
    QTest::keyClick(&shown.widget, Qt::Key_Left, Qt::AltModifier);
    QTest::keyClick(&shown.widget, Qt::Key_Left, Qt::AltModifier);
    CHECK(shown.picture() == fitted);
    CHECK(zoomed != fitted);
}

TEST_CASE("the keyboard alone reaches boxes, bubbles and other lanes")
{
    ShownTimeline shown;
    shown.widget.setFocus();
    QTest::keyClick(&shown.widget, Qt::Key_Period);
    CHECK(shown.selection().kind == Selection::Kind::Op);
    for (int k = 0; k < 4; ++k)
        QTest::keyClick(&shown.widget, Qt::Key_Period);
    CHECK(shown.selection().kind == Selection::Kind::Bubble);
    QTest::keyClick(&shown.widget, Qt::Key_Comma);
    QTest::keyClick(&shown.widget, Qt::Key_Down);
    CHECK(shown.selection().device == engine::DeviceId{1});
    QTest::keyClick(&shown.widget, Qt::Key_Up);
    CHECK(shown.selection().device == engine::DeviceId{0});
    const Selection before = shown.selection();
    QTest::keyClick(&shown.widget, Qt::Key_K);
    CHECK(shown.selection() != before);
    QTest::keyClick(&shown.widget, Qt::Key_BracketRight);
    CHECK(shown.selection().device == engine::DeviceId{1});
}

TEST_CASE("every key of the list does something, and its counterpart undoes it")
{
    ShownTimeline shown(sample::measured({"1f1b", 4, 4, 5}));
    shown.widget.showIteration(2);
    QTest::keyClick(&shown.widget, Qt::Key_Period); // something is selected from here on
    using Pair = std::pair<Qt::Key, Qt::Key>;
    for (const auto& [one, other] :
         {Pair{Qt::Key_Left, Qt::Key_Right}, Pair{Qt::Key_Plus, Qt::Key_Minus},
          Pair{Qt::Key_PageUp, Qt::Key_PageDown}, Pair{Qt::Key_Period, Qt::Key_Comma},
          Pair{Qt::Key_BracketRight, Qt::Key_BracketLeft}, Pair{Qt::Key_J, Qt::Key_K},
          Pair{Qt::Key_BracketRight, Qt::Key_Return}}) {
        INFO("key " << one << ", " << other);
        const QImage before = shown.picture();
        QTest::keyClick(&shown.widget, one);
        CHECK(shown.picture() != before);
        for (int k = 0; k < (other == Qt::Key_Return ? 3 : 1); ++k) // over received and sent
            QTest::keyClick(&shown.widget, other);
        CHECK(shown.picture() == before);
    }
    QTest::keyClick(&shown.widget, Qt::Key_Space);
    CHECK(shown.widget.follow());
    QTest::keyClick(&shown.widget, Qt::Key_Space);
    CHECK_FALSE(shown.widget.follow());
}

TEST_CASE("F centres the selection, then fits it")
{
    ShownTimeline shown;
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, kDevice0);
    QTest::keyClick(&shown.widget, Qt::Key_F);
    const QImage centred = shown.picture();
    QTest::keyClick(&shown.widget, Qt::Key_F);
    CHECK(shown.picture() != centred);
    const Selection op = shown.selection();
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(140 + 828 / 4, 100));
    CHECK(shown.selection() == op); // it fills the width now
}

TEST_CASE("a double click zooms to the box")
{
    ShownTimeline shown;
    QTest::mouseDClick(&shown.widget, Qt::LeftButton, {}, kDevice0);
    const Selection op = shown.selection();
    REQUIRE(op.kind == Selection::Kind::Op);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(140 + 200, 100));
    CHECK(shown.selection() == op);
}

TEST_CASE("iterations are walked by key and by the overview")
{
    ShownTimeline shown(sample::measured({"1f1b", 4, 4, 5}));
    CHECK(shown.widget.iteration() == 4); // the headline: the last
    QSignalSpy spy(&shown.widget, &TimelineWidget::iterationChanged);
    QTest::keyClick(&shown.widget, Qt::Key_PageUp);
    CHECK(shown.widget.iteration() == 3);
    shown.widget.showIteration(1);
    CHECK(shown.widget.iteration() == 1);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(140 + 828 * 9 / 10, 30));
    CHECK(shown.widget.iteration() == 4);
    shown.drag({140 + 828 * 9 / 10, 30}, {140 + 828 / 2, 30});
    CHECK(shown.widget.iteration() == 2);
    CHECK(spy.count() >= 4);
}

TEST_CASE("selecting from outside brings the op into view")
{
    ShownTimeline shown(sample::measured({"1f1b", 4, 4, 5}));
    shown.widget.showIteration(0);
    auto elsewhere = Selection();
    QTest::keyClick(&shown.widget, Qt::Key_Period);
    elsewhere = shown.selection();
    shown.widget.showIteration(4);
    shown.widget.select({});
    shown.widget.select(elsewhere);
    CHECK(shown.widget.iteration() == 0);
    CHECK(shown.selection() == elsewhere);
}

TEST_CASE("a growing run keeps zoom and selection, or is followed")
{
    ShownTimeline shown(growing(1));
    shown.widget.setRun(growing(2), TimelineWidget::View::Keep);
    CHECK(shown.widget.iteration() == 0);
    QSignalSpy spy(&shown.widget, &TimelineWidget::followChanged);
    shown.widget.setFollow(true);
    CHECK(shown.widget.iteration() == 1);
    shown.widget.setRun(growing(3), TimelineWidget::View::Keep);
    CHECK(shown.widget.iteration() == 2);
    shown.wheel({500, 100}, 1); // a zoom turns Follow off
    CHECK_FALSE(shown.widget.follow());
    CHECK(spy.count() == 2);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(500, 100));
    const Selection kept = shown.selection();
    shown.widget.setRun(growing(4), TimelineWidget::View::Keep);
    CHECK(shown.widget.iteration() == 2);
    CHECK(shown.selection() == kept);
}

TEST_CASE("the triangle folds a lane, Alt and the wheel make lanes higher")
{
    ShownTimeline shown;
    const QImage before = shown.picture();
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(13, 74 + 17));
    const QImage folded = shown.picture();
    CHECK(folded != before);
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(13, 74 + 17));
    CHECK(shown.picture() == before);
    shown.wheel({500, 100}, -3, Qt::AltModifier);
    CHECK(shown.picture() != before);
}

TEST_CASE("a click on a device's name selects the device")
{
    ShownTimeline shown;
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(60, 74 + 138 + 17));
    CHECK(shown.selection().kind == Selection::Kind::Device);
    CHECK(shown.selection().device == engine::DeviceId{1});
}

TEST_CASE("devices beyond the height are reached with the scroll bar")
{
    ShownTimeline shown(sample::units({"1f1b", 64, 64, 1}));
    auto* bar = shown.widget.findChild<QScrollBar*>(QStringLiteral("timelineScroll"));
    REQUIRE(bar);
    CHECK(bar->isVisible());
    CHECK(bar->maximum() == 64 * 17 - (654 - 48 - 26 - 28));
    bar->setValue(bar->maximum());
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, QPoint(500, 654 - 28 - 8));
    CHECK(shown.selection().device == engine::DeviceId{63});
}

TEST_CASE("light and dark differ, and a changed theme repaints everything")
{
    ShownTimeline shown;
    shown.theme.setChoice(app::ThemeController::Choice::Light);
    const QImage light = shown.picture();
    shown.theme.setChoice(app::ThemeController::Choice::Dark);
    const QImage dark = shown.picture();
    CHECK(light.pixelColor(500, 300) != dark.pixelColor(500, 300));
    shown.theme.setChoice(app::ThemeController::Choice::Light);
    CHECK(shown.picture() == light);
}

TEST_CASE("switching the flow off shows every box in its colour")
{
    ShownTimeline shown;
    QTest::mouseClick(&shown.widget, Qt::LeftButton, {}, kDevice0);
    const QImage withFlow = shown.picture();
    QSignalSpy spy(&shown.widget, &TimelineWidget::lookChanged);
    QTest::keyClick(&shown.widget, Qt::Key_L);
    CHECK(spy.count() == 1);
    CHECK(shown.picture() != withFlow);
}

// The arrows of micro-batch 4 lay over the hits of micro-batch 3.
TEST_CASE("a search hides the flow arrows")
{
    for (const auto flow : {app::TimelineLook::Flow::Selected, app::TimelineLook::Flow::All}) {
        ShownTimeline with, without;
        with.widget.setLook({.flow = flow});
        without.widget.setLook({.flow = app::TimelineLook::Flow::Off});
        for (ShownTimeline* shown : {&with, &without})
            QTest::mouseClick(&shown->widget, Qt::LeftButton, {}, kDevice0);
        CHECK(with.picture() != without.picture());
        for (ShownTimeline* shown : {&with, &without})
            shown->widget.setFound(std::make_shared<const app::Found>(
                *shown->widget.view(), app::parseFind(QStringLiteral("mb:3")).value()));
        CHECK(with.picture() == without.picture());
        with.widget.setFound(nullptr);
        CHECK(with.picture() != without.picture());
    }
}

TEST_CASE("a place is shown in the middle with its op, or its time, selected")
{
    ShownTimeline shown;
    engine::Note place;
    place.window = shown.widget.view()->run().timeline.iterations[0].window;
    place.op = 3;
    place.iteration = 0;
    shown.widget.showPlace(place);
    REQUIRE(shown.selection().kind == Selection::Kind::Op);
    CHECK(shown.selection().op == 3);
    place.op.reset();
    place.window.end = place.window.begin + place.window.duration() / 20;
    shown.widget.showPlace(place);
    CHECK(shown.selection().kind == Selection::Kind::Range);
    CHECK(shown.widget.inSight().duration() == 9 * static_cast<double>(place.window.duration()));
}
