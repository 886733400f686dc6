#include "profiler/study/chart_kit.h"
#include "tests/catch.h"

using namespace profiler;

TEST_CASE("each bar of a waterfall starts where the one before it ends")
{
    ChartStyle style;
    style.width = 260;
    style.height = 132; // 18 above the bars and 32 below them
    const MarkedScene chart = drawWaterfall({{"device 3", "60", 60, style.ink, true},
                                             {"drain", "+30", 30, style.grid, false, false, 2},
                                             {"not\nattributed", "+10", 10, {}, false, true, 7},
                                             {"iteration", "100", 100, style.ink, true}},
                                            style);
    std::vector<Rect> boxes;
    for (const SceneShape& shape : chart.scene.groups.front().shapes)
        if (const auto* box = std::get_if<Box>(&shape))
            boxes.push_back(box->rect);
    REQUIRE(boxes.size() == 4);
    const double bottom = 100;
    CHECK(boxes[0].y + boxes[0].height == bottom);
    CHECK(boxes[3].y == 18);
    CHECK(boxes[3].height == bottom - 18);
    // Edges lie on the middle of a line, so they are half a point inside.
    CHECK(boxes[1].y + boxes[1].height == Approx(boxes[0].y - 0.5));
    CHECK(boxes[2].y + boxes[2].height == Approx(boxes[1].y - 1));
    CHECK(boxes[2].y == Approx(boxes[3].y + 0.5));
    REQUIRE(chart.marks.size() == 2);
    CHECK(chart.marks[0].point == 2);
    CHECK(chart.marks[1].rect.height == style.height);
}
