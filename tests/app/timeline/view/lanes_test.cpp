#include "app/timeline/view/lanes.h"
#include "tests/catch.h"

using app::LaneKind;
using app::layoutLanes;

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
