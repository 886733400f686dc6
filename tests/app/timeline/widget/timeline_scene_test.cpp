#include "app/timeline/widget/timeline_widget.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

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
    CHECK(shown.spoken().startsWith(QStringLiteral("0F0 ")));
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

TEST_CASE("messages are thin until one is two pixels wide, and never beside evicts")
{
    app::TimelineScene scene;
    scene.view = std::make_shared<const app::RunView>(sample::measured({"1f1b", 4, 4, 1}));
    scene.layout({1092, 654}, {});
    const double width = scene.areas.lanes.width();
    const double message = static_cast<double>(scene.view->occurs().longestMessage);
    REQUIRE(message > 0);
    CHECK(scene.areMessagesThin({0, message * width / 1.9}));
    CHECK_FALSE(scene.areMessagesThin({0, message * width / 2.1}));
    scene.view = std::make_shared<const app::RunView>(sample::units({"bpipe", 4, 8, 1}));
    CHECK_FALSE(scene.areMessagesThin({0, 1e12}));
}
