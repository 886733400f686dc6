#include "app/timeline/view/coordinates.h"
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

TEST_CASE("a collapsed group has the lane of its first device")
{
    app::LaneOptions options{16 * 40, 42, {}};
    const app::LaneGroup first{"node 0", {0, 1, 2, 3}}, second{"node 1", {4, 5, 6, 7}};
    options.collapsed = {second, first};
    CHECK(app::groupOf(options.collapsed, 5)->name == "node 1");
    CHECK(app::groupOf(options.collapsed, 8) == nullptr);
    CHECK(app::heightOf(layoutLanes(8, options)) == 2 * layoutLanes(8, options)[0].height);
    options.collapsed = {first};
    const auto lanes = layoutLanes(8, options);
    CHECK(lanes[0].group == first);
    CHECK_FALSE(lanes[0].hasBoxes());
    CHECK(lanes[1].isHidden);
    CHECK(lanes[1].top == lanes[0].top); // of the critical path
    CHECK(lanes[4].hasBoxes());
    CHECK(lanes[4].top == lanes[0].bottom());
    CHECK(app::laneAt(lanes, lanes[4].top) == 4);
    CHECK(app::heightOf(lanes) == lanes[7].bottom());
    options.collapsed = {{"node 0", {0, 1, 2, 11}}}; // of a run with more devices
    CHECK(layoutLanes(8, options)[0].group.devices == std::vector{0, 1, 2});
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
