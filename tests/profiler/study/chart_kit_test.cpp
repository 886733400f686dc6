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
