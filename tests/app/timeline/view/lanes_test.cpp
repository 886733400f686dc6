#include "app/timeline/view/lanes.h"
#include "engine/experiment/experiment.h"
#include "tests/catch.h"

using app::LaneKind;
using app::layoutLanes;

// A run without a pipeline showed one box, that of its step, where the kernels tell what happened.
TEST_CASE("where kernels decide, their rows are high and the range on the host is low")
{
    LaneOptions options;
    options.available = 400;
    options.kernels = {2, 2};
    const Lane usual = layoutLanes(2, options).front();
    options.kernelsDecide = true;
    const Lane lane = layoutLanes(2, options).front();
    CHECK(usual.kernel == Lane::kKernel);
    CHECK(lane.kernel > 3 * Lane::kKernel);
    CHECK(lane.compute < usual.compute);
    CHECK(lane.kernelTop(1) == lane.kernelTop(0) + lane.kernel + 2);
    CHECK(lane.bottom() <= 200); // two lanes fit
    options.available = 60;
    CHECK(layoutLanes(2, options).front().kernel == Lane::kKernel);
}

TEST_CASE("a full lane is 138 high and its parts stand where the design puts them")
{
    const auto lanes = layoutLanes(4, {4 * 138, 42, {}});
    REQUIRE(lanes.size() == 4);
    const app::Lane& second = lanes[1];
    CHECK(second.height == 138);
    CHECK(second.computeTop() == 138 + 8);
    CHECK(second.sendTop() == 138 + 53);
    CHECK(second.receiveTop() == 138 + 66);
    CHECK(second.reduceTop() == 138 + 80);
    CHECK(second.memoryTop() + second.memory + 8 == second.bottom());
}

TEST_CASE("lanes shrink, collapse and become dense as the height decreases")
{
    struct Case
    {
        int devices;
        double available;
        LaneKind kind;
        double height;
    };
    for (const auto& [devices, available, kind, height] :
         {Case{4, 600, LaneKind::Full, 138}, Case{4, 536, LaneKind::Full, 134},
          Case{4, 240, LaneKind::Compute, 58}, Case{8, 536, LaneKind::Compute, 58},
          Case{23, 536, LaneKind::Dense, 23}, Case{32, 544, LaneKind::Dense, 17},
          Case{500, 544, LaneKind::Dense, 17}}) {
        const auto lanes = layoutLanes(devices, {available, 42, {}});
        CHECK(lanes.front().kind == kind);
        CHECK(lanes.front().height == height);
    }
}

TEST_CASE("without a chosen height, boxes and memory grow into the remaining height")
{
    const auto small = layoutLanes(4, {4 * 138, {}, {}}), large = layoutLanes(4, {1000, {}, {}});
    CHECK(small[0].height == 138);
    CHECK(large[0].height == 247); // as much as each may have
    CHECK(large[0].memory > 2 * small[0].memory);
    CHECK(large[0].compute > small[0].compute);
    CHECK(large[0].memoryTop() + large[0].memory + 8 == large[0].bottom());
    CHECK(layoutLanes(4, {374, {}, {}})[0].height == 93);  // collapsed ones fill a low window
    CHECK(layoutLanes(1, {2000, {}, {}})[0].height < 300); // and stay lanes in a high one
    CHECK(layoutLanes(4, {1000, 42, {}})[0].height == 138);
}

TEST_CASE("a triangle opens one lane among dense ones and closes one among full ones")
{
    CHECK(layoutLanes(32, {544, 42, {3}})[3].kind == LaneKind::Full);
    CHECK(layoutLanes(32, {544, 42, {3}})[4].kind == LaneKind::Dense);
    CHECK(layoutLanes(4, {600, 42, {0}})[0].height == 58);
}

TEST_CASE("laneAt() finds the lane at a point, and none below the last")
{
    const auto lanes = layoutLanes(4, {600, 42, {}});
    CHECK(app::laneAt(lanes, 0) == 0);
    CHECK(app::laneAt(lanes, 137.9) == 0);
    CHECK(app::laneAt(lanes, 138) == 1);
    CHECK(app::laneAt(lanes, 4 * 138) == -1);
}

// A band above the timeline took 40 pixels: all lanes closed, and a sixth of the window stayed
// empty.
TEST_CASE("memory shrinks before lanes collapse")
{
    const auto lanes = layoutLanes(4, {480, {}, {}});
    CHECK(lanes[0].kind == LaneKind::Full);
    CHECK(lanes[0].memory == 30);
    CHECK(lanes[3].bottom() == 480);
    CHECK(layoutLanes(4, {4 * 108, {}, {}})[0].memory == 18);
    CHECK(layoutLanes(4, {4 * 107, {}, {}})[0].kind == LaneKind::Compute);
}

TEST_CASE("a hidden lane has no height, and the others take its place")
{
    app::LaneOptions options{4 * 138, 42, {}};
    REQUIRE(options.order.hide(1, 4));
    const auto lanes = layoutLanes(4, options);
    CHECK(lanes[1].isHidden);
    CHECK(lanes[1].height == 0);
    CHECK(lanes[2].top == 138);
    CHECK(app::laneAt(lanes, 140) == 2);
    CHECK(app::heightOf(lanes) == 3 * 138);
    options.order.hideOthers(3, 4);
    CHECK(options.order.shown(4) == std::vector<int>{3});
    CHECK_FALSE(options.order.hide(3, 4)); // the last one stays
}

TEST_CASE("lanes move within the pinned ones or within the others")
{
    app::LaneOrder order;
    CHECK(order.move(0, 1, 4));
    CHECK(order.shown(4) == std::vector<int>{1, 0, 2, 3});
    CHECK_FALSE(order.move(1, -1, 4)); // it is the first
    order.togglePin(3);
    CHECK(order.shown(4) == std::vector<int>{3, 1, 0, 2});
    CHECK_FALSE(order.move(1, -1, 4)); // the pinned one stays above
    order.togglePin(2);
    CHECK_FALSE(order.move(3, 1, 4)); // below it are lanes that are not pinned
    CHECK(order.move(3, -1, 4));
    CHECK(order.shown(4) == std::vector<int>{3, 2, 1, 0});
    order.togglePin(2);
    order.togglePin(3);
    CHECK(order.pinned.empty());
    CHECK_FALSE(order.isDefault());
}

// They came back below the others, and an unpinned lane stayed on top.
TEST_CASE("moving a lane leaves hidden and pinned lanes their places")
{
    app::LaneOrder order;
    REQUIRE(order.hide(1, 4));
    order.togglePin(3);
    CHECK(order.move(2, -1, 4));
    CHECK(order.shown(4) == std::vector<int>{3, 2, 0});
    order.hidden.clear();
    order.togglePin(3);
    CHECK(order.shown(4) == std::vector<int>{2, 0, 1, 3});
}

TEST_CASE("a pinned lane stays in sight when the others scroll, and covers them")
{
    app::LaneOptions options{100, 42, {}};
    options.order.togglePin(5);
    auto lanes = layoutLanes(32, options);
    CHECK(lanes[5].top == 0);
    const double height = app::heightOf(lanes);
    app::scrollPinned(lanes, 0, 60);
    CHECK(lanes[5].top == 60);
    CHECK(app::laneAt(lanes, 61) == 5);
    CHECK(app::heightOf(lanes) == height);
    app::scrollPinned(lanes, 60, 0);
    CHECK(lanes[5].top == 0);
}

TEST_CASE("a collapsed group has the lane of its topmost visible device")
{
    app::LaneOptions options{16 * 40, 42, {}};
    app::LaneOrder& order = options.order;
    const app::LaneGroup first{"node 0", {0, 1, 2, 3}}, second{"node 1", {4, 5, 6, 7}};
    order.toggleGroup(first);
    CHECK(order.shown(8) == std::vector<int>{0, 4, 5, 6, 7});
    order.hidden = {0};
    CHECK(order.shown(8) == std::vector<int>{1, 4, 5, 6, 7});
    auto lanes = layoutLanes(8, options);
    CHECK(lanes[1].group == first);
    CHECK_FALSE(lanes[1].hasBoxes());
    CHECK(lanes[2].isHidden);
    CHECK(lanes[4].hasBoxes());
    CHECK(app::heightOf(lanes) == lanes[7].bottom());
    order.hidden.clear();
    order.toggleGroup(second);
    CHECK(order.move(0, 1, 8));
    CHECK(order.shown(8) == std::vector<int>{4, 0});
    order.toggleGroup(first); // its devices stay together
    CHECK(order.shown(8) == std::vector<int>{4, 0, 1, 2, 3});
    CHECK(order.hide(4, 8));
    CHECK(order.hidden == std::set<int>{4, 5, 6, 7});
}

TEST_CASE("groups are the hosts of an import, the nodes of an emulated run, or blocks of eight")
{
    engine::Run run;
    run.schedule.shape.devices = 8;
    CHECK(app::laneGroups(run).empty());
    run.schedule.shape.devices = 12;
    CHECK(app::laneGroups(run)[1]
          == app::LaneGroup{"devices 8-11", std::vector<int>{8, 9, 10, 11}});
    engine::Experiment experiment;
    experiment.devicesPerNode = 6;
    run.info.experiment = engine::toToml(experiment);
    CHECK(app::laneGroups(run)[1].name == "node 1");
    CHECK(app::laneGroups(run)[1].devices.front() == 6);
    experiment.schedule.mapping = "pair-adjacent"; // 0, 11, 1, 10, 2, 9 in the first node
    run.info.experiment = engine::toToml(experiment);
    CHECK(app::laneGroups(run)[0] == app::LaneGroup{"node 0", {0, 1, 2, 9, 10, 11}});
    run.info.import.emplace();
    for (int rank = 0; rank < 12; ++rank)
        run.info.import->ranks.push_back({rank, {}, rank % 2 == 0 ? "a" : "b", {}, rank});
    REQUIRE(app::laneGroups(run).size() == 2);
    CHECK(app::laneGroups(run)[1].name == "host b");
    CHECK(app::laneGroups(run)[1].devices.front() == 1);
}

TEST_CASE("lanes whose messages share a row have higher boxes, and their rows do not overlap")
{
    app::LaneOptions options;
    options.available = 4 * 132;
    const app::Lane three = app::layoutLanes(4, options).front();
    options.hasOneStrip = true;
    const app::Lane one = app::layoutLanes(4, options).front();
    CHECK(three.height == 132);
    CHECK(one.height == 132);
    CHECK(one.compute == 66);
    CHECK(three.compute < 42);
    CHECK(one.memory == 32);
    CHECK(one.sendTop() == one.reduceTop());
    CHECK(one.sendTop() + app::Lane::kTransfer < one.memoryTop());
    CHECK(one.memoryTop() + one.memory + 8 == one.height);
}
