#include "profiler/study/chart_kit.h"
#include "tests/catch.h"

#include <algorithm>
#include <cmath>

using namespace profiler;

// The step of the axis was too small to change the value that it was added to.
TEST_CASE("values that differ by rounding only have an axis")
{
    const ChartScale scale = scaleOf({1.0, std::nextafter(1.0, 2.0)}, 0, 100);
    CHECK(scale.step > 0.01);
    CHECK(scale.least <= 1);
    CHECK(scale.most >= 1);
}

// Names that did not fit beside the title were left out.
TEST_CASE("the legend of bars has every part, on as many lines as it needs")
{
    ChartStyle style;
    style.width = 300;
    std::vector<BarRow> rows(1);
    rows.front().title = "BitPipe";
    for (const char* name : {"forward", "backward", "input gradient", "weight gradient",
                             "exposed communication", "bubble"})
        rows.front().parts.push_back({name, {0, 0, 200}, 1});
    const BarTexts texts{"Time", "ms", 1,
                         [](double value, int) { return std::to_string(value).substr(0, 3); }};
    const MarkedScene bars
        = drawBars(texts, rows, style, loadPalette("default", ThemeMode::Light).value());
    std::size_t names = 0;
    double lowest = 0;
    for (const SceneShape& shape : bars.scene.groups.front().shapes)
        if (const auto* text = std::get_if<Text>(&shape); text != nullptr
            && std::ranges::count(rows.front().parts, text->text, &BarPart::name) == 1) {
            ++names;
            lowest = std::max(lowest, text->baseline);
            CHECK(text->x + textWidth(text->text) <= style.width);
        }
    CHECK(names == 6);
    CHECK(lowest < bars.marks.front().rect.y);
}

TEST_CASE("the marks of a history go from left to right and are higher for greater values")
{
    const MarkedScene chart = drawHistory({{"2026-11-01", 74, 73, 75},
                                           {"2026-11-02", 80, 79, 81, true, true},
                                           {"2026-11-03", 60, 60, 60}},
                                          "Iteration, ms");
    REQUIRE(chart.marks.size() == 3);
    for (std::size_t r = 0; r < 3; ++r)
        CHECK(chart.marks[r].point == r);
    CHECK(chart.marks[0].rect.x < chart.marks[1].rect.x);
    CHECK(chart.marks[1].rect.x < chart.marks[2].rect.x);
    CHECK(chart.marks[1].rect.y < chart.marks[0].rect.y);
    CHECK(chart.marks[0].rect.y < chart.marks[2].rect.y);
    CHECK(drawHistory({}, "Iteration, ms").marks.empty());
}

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
