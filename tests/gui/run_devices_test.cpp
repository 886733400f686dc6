#include "app/run/run_panels.h"
#include "tests/gui/opened_run.h"

#include <QTabBar>

using namespace app;

namespace {

struct Charted : OpenedRun
{
    explicit Charted(int devices)
        : OpenedRun(simulatedRun({"1f1b", devices, 8}))
    {
        REQUIRE(waitFor([&] { return isRead() && summaryRows() == devices + 1; }));
        tabs = find<QTabBar>("panelTabs");
    }
    bool isOffered() const { return tabs->isTabVisible(static_cast<int>(Panel::Devices)); }
    RunPanels::Panel shown() const { return static_cast<Panel>(tabs->currentIndex()); }
    void open(RunPanels::Panel panel) const { tabs->setCurrentIndex(static_cast<int>(panel)); }

    using Panel = RunPanels::Panel;
    QTabBar* tabs = nullptr;
};

} // namespace

TEST_CASE("a run with one device has no tab for its devices")
{
    const Charted one(1), four(4);
    CHECK_FALSE(one.isOffered());
    CHECK(four.isOffered());
    CHECK(one.shown() == RunPanels::Panel::Summary);
    CHECK(four.shown() == RunPanels::Panel::Summary);
}

TEST_CASE("a run with dense lanes opens with the columns of its devices")
{
    const Charted run(64);
    CHECK(run.find<TimelineWidget>("timeline")->areLanesDense());
    CHECK(run.shown() == RunPanels::Panel::Devices);
    CHECK(run.find<SceneView>("devicesBubble")->isVisible());
}

TEST_CASE("a click on a column selects the device in the timeline, the table and both charts")
{
    const Charted run(4);
    run.open(RunPanels::Panel::Devices);
    auto* bubble = run.find<SceneView>("devicesBubble");
    REQUIRE(bubble->isVisible());
    QTest::mouseClick(bubble->viewport(), Qt::LeftButton, {}, bubble->rectOf(2).center());
    auto* timeline = run.find<TimelineWidget>("timeline");
    CHECK(timeline->selection().kind == Selection::Kind::Device);
    CHECK(timeline->selection().device == engine::DeviceId{2});
    CHECK(run.find<SceneView>("devicesMemory")->selectedPoint() == 2);
    CHECK(run.find<DataTable>("summaryTable")->currentIndex().row() == 2);
    QTest::keyClick(bubble, Qt::Key_Right);
    CHECK(timeline->selection().device == engine::DeviceId{3});
    timeline->select({});
    CHECK_FALSE(bubble->selectedPoint().has_value());
}

TEST_CASE("a range replaces the columns of the devices until it is removed")
{
    const Charted run(4);
    run.open(RunPanels::Panel::Devices);
    auto* timeline = run.find<TimelineWidget>("timeline");
    timeline->select({.kind = Selection::Kind::Range,
                      .iteration = 0,
                      .window = {0, timeline->view()->extent().end / 2}});
    CHECK(run.shown() == RunPanels::Panel::Range);
    timeline->select({});
    CHECK(run.shown() == RunPanels::Panel::Devices);
}
