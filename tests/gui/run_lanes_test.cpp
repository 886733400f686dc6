#include "tests/gui/opened_run.h"

#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QListView>
#include <QMenu>
#include <QToolTip>

using namespace app;

namespace {

struct Laned : OpenedRun
{
    explicit Laned(int devices = 4)
        : OpenedRun(simulatedRun({"1f1b", devices, 8, 2}))
    {
        REQUIRE(waitFor([&] { return isRead() && summaryRows() == devices + 1; }));
        timeline = find<TimelineWidget>("timeline");
        timeline->setFocus();
    }
    void press(int key, Qt::KeyboardModifiers modifiers = {}) const
    {
        QTest::keyClick(timeline, static_cast<Qt::Key>(key), modifiers);
    }
    void selectLane(int device) const
    {
        Selection lane;
        lane.kind = Selection::Kind::Device;
        lane.device = engine::DeviceId{device};
        lane.iteration = 0;
        timeline->select(lane);
    }
    QStringList collapsed() const
    {
        QStringList names;
        for (const LaneGroup& group : timeline->collapsed())
            names << QString::fromStdString(group.name);
        return names;
    }
    bool says(const char* text) const
    {
        return page->statusTexts().join(QLatin1Char('|')).contains(QString::fromUtf8(text));
    }
    QMenu* openMenu(QPoint at) const
    {
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, timeline->mapToGlobal(at));
        QCoreApplication::sendEvent(timeline, &event);
        auto* menu = page->findChild<QMenu*>(QStringLiteral("timelineMenu"));
        REQUIRE(menu != nullptr);
        return menu;
    }
    static QStringList names(const QMenu& menu)
    {
        QStringList names;
        for (const QAction* action : menu.actions())
            names << action->objectName();
        return names;
    }

    TimelineWidget* timeline = nullptr;
};

} // namespace

TEST_CASE("Alt and the arrow keys move a queued run if it is chosen in the list of runs")
{
    Laned run;
    run.library.holdQueue(true);
    for (int i = 0; i < 3; ++i)
        run.library.start({});
    settle();
    auto* list = run.find<QListView>("runsList");
    list->setFocus();
    list->setCurrentIndex(list->model()->index(2, 0));
    REQUIRE(run.library.runs().at(2)->isQueued());
    QTest::keyClick(list, Qt::Key_Down, Qt::AltModifier);
    CHECK(run.library.runs().at(2)->number() == 4);
}

TEST_CASE("the context menu of an op finds its like and its cause, that of a header its lane")
{
    const Laned run;
    run.press(Qt::Key_Period);
    run.press(Qt::Key_Period);
    QMenu* menu = run.openMenu(run.timeline->selectionRect().center());
    CHECK(Laned::names(*menu).contains(QStringLiteral("findKind")));
    CHECK(Laned::names(*menu).contains(QStringLiteral("noteSelection")));
    menu->findChild<QAction*>(QStringLiteral("copyDetails"))->trigger();
    CHECK(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("0F1 forward")));
    menu->findChild<QAction*>(QStringLiteral("findKind"))->trigger();
    CHECK(run.find<QWidget>("findBar")->isVisible());
    menu->close();
    REQUIRE(waitFor(
        [&] { return run.page->findChild<QMenu*>(QStringLiteral("timelineMenu")) == nullptr; }));
    menu = run.openMenu({70, 100});
    CHECK(run.timeline->selection().kind == Selection::Kind::Device);
    CHECK(Laned::names(*menu).contains(QStringLiteral("expandLane")));
    CHECK_FALSE(Laned::names(*menu).contains(QStringLiteral("findKind")));
    menu->close();
}

TEST_CASE("the palette finds ops, ranges and settings of the run")
{
    const Laned run;
    const auto texts = [&](const char* text) {
        QStringList found;
        for (const QAction* action : run.page->foundActions(QString::fromUtf8(text)))
            found << action->text();
        return found;
    };
    CHECK(texts("2b3") == QStringList{QStringLiteral("Show 2B3 on device 2")});
    CHECK(texts("F5 stage 1") == QStringList{QStringLiteral("Show 1F5 on device 1")});
    CHECK(texts("f5").size() == 4);
    CHECK(texts("9B3").isEmpty());
    CHECK(texts("range 1-2").value(0).startsWith(QStringLiteral("Mark the range iteration 1, ")));
    CHECK(texts("duration") == QStringList{QStringLiteral("Colour by duration")});
    CHECK(texts("").isEmpty());
    run.page->foundActions(QStringLiteral("2B3")).front()->trigger();
    CHECK(run.timeline->selection().kind == Selection::Kind::Op);
    run.page->foundActions(QStringLiteral("colour by chunk")).front()->trigger();
    CHECK(run.timeline->look().colourBy == ColourBy::Chunk);
    run.page->foundActions(QStringLiteral("1-2")).front()->trigger();
    CHECK(run.timeline->selection().kind == Selection::Kind::Range);
}

TEST_CASE("Shift+G collapses the lanes of a group into one, and a click on its triangle expands it")
{
    const Laned run(12);
    CHECK_FALSE(run.find<QAction>("groupLanes")->isEnabled()); // no lane is selected
    const bool areKernelsShown = run.timeline->look().areKernelsShown;
    run.press(Qt::Key_G, Qt::ShiftModifier);
    CHECK(run.timeline->look().areKernelsShown == areKernelsShown); // that would be G
    run.selectLane(9);
    run.press(Qt::Key_G, Qt::ShiftModifier);
    CHECK(run.collapsed() == QStringList{QStringLiteral("devices 8-11")});
    CHECK(run.says("1 group collapsed"));
    CHECK(run.find<QAction>("groupLanes")->text() == QStringLiteral("Expand the group of lanes"));
    run.timeline->grab(); // paints the mean of four devices
    QStringList cells;    // what the right column says of groups
    for (int y = 74; y < run.timeline->height() - 28; y += 4) {
        QTest::mouseMove(run.timeline, {run.timeline->width() - 60, y});
        cells << QToolTip::text();
        QToolTip::hideText();
    }
    cells.removeAll(QString());
    cells.removeDuplicates();
    CHECK(cells
          == QStringList{QStringLiteral("The largest peak of 4 devices: 4.0 Mₐ on device 8")});
    run.find<QAction>("groupAllLanes")->trigger();
    REQUIRE(run.collapsed().size() == 2);
    QTest::mouseClick(run.timeline, Qt::LeftButton, {}, {300, 200}); // has no ops
    CHECK(run.timeline->selection().kind == Selection::Kind::None);
    const int below = run.timeline->height() - 40; // in the header of the lower lane
    for (int y = 74; y < below && run.collapsed().size() == 2; y += 8)
        QTest::mouseClick(run.timeline, Qt::LeftButton, {}, {12, y});
    CHECK(run.collapsed() == QStringList{QStringLiteral("devices 8-11")});
    QTest::mouseClick(run.timeline, Qt::LeftButton, {}, {12, 74 + 40}); // a single lane
    CHECK(run.collapsed().size() == 1);
    run.find<QAction>("groupAllLanes")->trigger();
    run.find<QAction>("groupAllLanes")->trigger();
    CHECK(run.collapsed().isEmpty());
}

TEST_CASE("an op that is selected in a collapsed group expands the group")
{
    const Laned run(12);
    run.find<QAction>("groupAllLanes")->trigger();
    run.page->foundActions(QStringLiteral("10B3")).front()->trigger();
    CHECK(run.collapsed() == QStringList{QStringLiteral("devices 0-7")});
    QMenu* menu = run.openMenu({70, 100});
    CHECK(Laned::names(*menu).contains(QStringLiteral("groupLanes")));
    menu->close();
}
