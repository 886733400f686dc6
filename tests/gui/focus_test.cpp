#include "app/compare/compare_widget.h"
#include "app/plan/run_plan.h"
#include "app/study/study_page.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"
#include "app/window/main_window.h"
#include "engine/schedules/scheme.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"
#include "tests/gui/walk.h"
#include "tests/support/paths.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QFocusEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

namespace app {
namespace {

const QString kSamples = QString::fromStdString(tests::sourcePath("sample_runs/"));

struct ActiveWindow
{
    ActiveWindow()
    {
        window.resize(1600, 1000);
        window.show();
        window.activateWindow();
        REQUIRE(QTest::qWaitForWindowActive(&window, kNever));
    }
    QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
    MainWindow window{theme, settings};
};

} // namespace

TEST_CASE("Tab reaches everything on the start page")
{
    ActiveWindow desk;
    checkWalk(&desk.window);
}

TEST_CASE("Tab reaches everything in the set-up, options of a scheme where they stand")
{
    ActiveWindow desk;
    desk.window.open({"setup"});
    for (const char* more : {"moreCosts", "moreTraining"})
        desk.window.findChild<QAbstractButton*>(QString::fromLatin1(more))->click();
    for (const auto kind :
         {CostSource::Kind::Units, CostSource::Kind::Hardware, CostSource::Kind::Recorded}) {
        desk.window.findChild<SegmentControl*>(QStringLiteral("costSource"))
            ->setCurrent(static_cast<int>(kind));
        checkWalk(&desk.window);
    }
    const QList<QWidget*> stops = walk(&desk.window);
    const auto at = [&](const char* name) {
        return stops.indexOf(desk.window.findChild<QWidget*>(QString::fromLatin1(name)));
    };
    REQUIRE(at("option_placement") >= 0);
    CHECK(at("option_placement") < at("sync"));
    CHECK(at("option_placement") < at("option_directions"));
}

TEST_CASE("Tab reaches everything in the estimator")
{
    ActiveWindow desk;
    desk.window.open({"estimator"});
    checkWalk(&desk.window);
}

TEST_CASE("Tab reaches everything on the page of the shortest schedule")
{
    ActiveWindow desk;
    desk.window.open({"search"});
    checkWalk(&desk.window);
}

TEST_CASE("Tab reaches everything in a study, before and after its run")
{
    ActiveWindow desk;
    desk.window.open({"study"});
    checkWalk(&desk.window);
    desk.window.findChild<QAction*>(QStringLiteral("studyRun"))->trigger();
    auto* view = desk.window.findChild<SceneView*>(QStringLiteral("studyFrontView"));
    REQUIRE(waitFor([&] { return view->scene() != nullptr && !view->scene()->marks.empty(); }));
    REQUIRE(waitFor(
        [&] { return desk.window.findChild<QAction*>(QStringLiteral("studyRun"))->isEnabled(); }));
    checkWalk(&desk.window);
}

TEST_CASE("Tab reaches everything in the schedule editor")
{
    ActiveWindow desk;
    desk.window.open({.kind = "editor",
                      .schedule = std::make_shared<const engine::Schedule>(
                          *engine::buildSchedule(engine::ScheduleRequest()))});
    checkWalk(&desk.window);
}

TEST_CASE("Tab reaches everything on a run's page and in a comparison")
{
    ActiveWindow desk;
    desk.window.openFiles({kSamples + QStringLiteral("1f1b-d4-n8.sqlite")});
    const auto* timeline = desk.window.findChild<TimelineWidget*>();
    REQUIRE(waitFor([&] { return timeline->iteration() >= 0; }));
    CHECK(timeline->hasFocus());
    auto* tabs = desk.window.findChild<QTabBar*>(QStringLiteral("panelTabs"));
    REQUIRE(tabs->count() > 5);
    for (int tab = 0; tab < tabs->count(); ++tab) {
        CAPTURE(tabs->tabText(tab).toStdString());
        tabs->setCurrentIndex(tab);
        checkWalk(&desk.window);
    }
    desk.window.openFiles({kSamples + QStringLiteral("1f1b-d4-n8.sqlite"),
                           kSamples + QStringLiteral("bitpipe-d4-n8.sqlite")});
    checkWalk(&desk.window);
}

TEST_CASE("keyboard focus is framed in both themes, mouse focus is not")
{
    ActiveWindow desk;
    desk.window.openFiles({kSamples + QStringLiteral("1f1b-d4-n8.sqlite")});
    auto* timeline = desk.window.findChild<TimelineWidget*>();
    REQUIRE(waitFor([&] { return timeline->iteration() >= 0; }));
    const FocusRing ring(desk.theme, qApp);
    const auto frame = [&] { return timeline->findChild<QWidget*>(QStringLiteral("focusFrame")); };
    timeline->clearFocus();
    timeline->setFocus(Qt::MouseFocusReason);
    CHECK(frame() == nullptr);
    timeline->clearFocus();
    timeline->setFocus(Qt::TabFocusReason);
    REQUIRE(frame() != nullptr);
    CHECK(frame()->geometry() == timeline->rect());
    for (const auto choice : {ThemeController::Choice::Light, ThemeController::Choice::Dark}) {
        desk.theme.setChoice(choice);
        const QImage seen = timeline->grab().toImage();
        CHECK(seen.pixelColor(seen.width() / 2, 0) == desk.theme.theme().chrome.text3);
    }
    timeline->clearFocus();
    CHECK_FALSE(frame()->isVisible()); // at once
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    CHECK(frame() == nullptr);
}

TEST_CASE("the focus frame follows its widget's size, passes clicks on, and disappears on a click")
{
    ActiveWindow desk;
    desk.window.openFiles({kSamples + QStringLiteral("1f1b-d4-n8.sqlite")});
    auto* timeline = desk.window.findChild<TimelineWidget*>();
    REQUIRE(waitFor([&] { return timeline->iteration() >= 0; }));
    const FocusRing ring(desk.theme, qApp);
    const auto frames
        = [&] { return timeline->findChildren<QWidget*>(QStringLiteral("focusFrame")); };
    timeline->clearFocus();
    timeline->setFocus(Qt::BacktabFocusReason); // Shift and Tab
    REQUIRE(frames().size() == 1);
    QFocusEvent again(QEvent::FocusIn, Qt::TabFocusReason); // told twice
    QCoreApplication::sendEvent(timeline, &again);
    REQUIRE(frames().size() == 1);
    timeline->resize(timeline->size() - QSize(40, 30));
    CHECK(frames().first()->geometry() == timeline->rect());
    CHECK(timeline->childAt(timeline->rect().center()) != frames().first());
    QFocusEvent elsewhere(QEvent::FocusOut);
    QCoreApplication::sendEvent(&desk.window, &elsewhere);
    CHECK(frames().first()->isVisible());
    QTest::mousePress(timeline, Qt::LeftButton, {}, {2, 2}); // it keeps the focus
    CHECK_FALSE(frames().first()->isVisible());
}

TEST_CASE("lists and both timelines are framed, what frames itself is not")
{
    ActiveWindow desk;
    const FocusRing ring(desk.theme, qApp);
    desk.window.openFiles({kSamples + QStringLiteral("1f1b-d4-n8.sqlite"),
                           kSamples + QStringLiteral("bitpipe-d4-n8.sqlite")});
    auto* comparison = desk.window.findChild<CompareWidget*>();
    REQUIRE(waitFor([&] { return comparison->isVisible(); }));
    QScrollArea list(&desk.window);
    QPushButton button(&desk.window);
    list.show();
    button.show();
    const auto isFramed = [](QWidget& widget) {
        widget.clearFocus();
        widget.setFocus(Qt::TabFocusReason);
        return widget.findChild<QWidget*>(QStringLiteral("focusFrame")) != nullptr;
    };
    CHECK(isFramed(*comparison));
    CHECK(isFramed(list));
    CHECK_FALSE(isFramed(button));
}

} // namespace app
