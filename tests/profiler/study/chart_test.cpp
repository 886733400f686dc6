#include "engine/schedules/scheme.h"
#include "profiler/study/chart.h"
#include "tests/profiler/study/small_study.h"

#include <algorithm>
#include <set>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

MarkedScene drawn(const SmallStudy& small, std::size_t chart, const ChartStyle& style = {})
{
    const auto result = drawChart(small, small.study.charts[chart], style);
    REQUIRE(result);
    return *result;
}

template<class Shape>
std::vector<Shape> shapesOf(const MarkedScene& chart)
{
    std::vector<Shape> found;
    for (const SceneShape& shape : chart.scene.groups.front().shapes)
        if (const auto* one = std::get_if<Shape>(&shape))
            found.push_back(*one);
    return found;
}

const SceneMark& markOf(const MarkedScene& chart, std::size_t point)
{
    const auto found = std::ranges::find(chart.marks, point, &SceneMark::point);
    REQUIRE(found != chart.marks.end());
    return *found;
}

bool isInside(const Rect& inner, double width, double height)
{
    return inner.x >= 0 && inner.y >= 0 && inner.x + inner.width <= width
        && inner.y + inner.height <= height;
}

bool hasText(const MarkedScene& chart, std::string_view part)
{
    return std::ranges::any_of(shapesOf<Text>(chart), [part](const Text& text) {
        return text.text.find(part) != std::string::npos;
    });
}

} // namespace

TEST_CASE("a heat map has a cell for every point, hatched or out of memory without a value")
{
    const SmallStudy small;
    const MarkedScene map = drawn(small, 0);
    CHECK(map.marks.size() == 12);
    std::set<std::pair<double, double>> places;
    for (const SceneMark& mark : map.marks) {
        CHECK(small.points[mark.point].values[1] == "0.5");
        CHECK(isInside(mark.rect, map.scene.width, map.scene.height));
        places.insert({mark.rect.x, mark.rect.y});
    }
    CHECK(places.size() == 12);
    // BitPipe with N = 4, GPipe, which needs too much, and everything with N = 32
    const auto hatches = shapesOf<Hatch>(map);
    CHECK(hatches.size() == 1);
    const auto texts = shapesOf<Text>(map);
    CHECK(std::ranges::count(texts, "OOM", &Text::text) == 6);
    const Rect& impossible = markOf(map, small.at("4", "0.5", "bitpipe")).rect;
    CHECK(std::ranges::any_of(hatches, [&](const Hatch& hatch) {
        return hatch.rect.x == impossible.x && hatch.rect.y == impossible.y;
    }));
    CHECK(hasText(map, "BitPipe"));
    CHECK(hasText(map, "OOM: out of memory; hatched: not possible"));
    SmallStudy all;
    all.study.onlyFitting = false;
    const MarkedScene possible = drawn(all, 0);
    CHECK(hasText(possible, "hatched: not possible"));
    CHECK_FALSE(hasText(possible, "out of memory"));
}

TEST_CASE("a heat map frames the best cell of every column")
{
    const SmallStudy small;
    const MarkedScene map = drawn(small, 0);
    std::vector<Box> frames;
    for (const Box& box : shapesOf<Box>(map))
        if (box.stroke > 0)
            frames.push_back(box);
    REQUIRE(frames.size() == 3);                                       // no scheme fits with N = 32
    const Rect& best = markOf(map, small.at("8", "0.5", "1f1b")).rect; // 8.5; BitPipe: 9
    CHECK(std::ranges::count_if(frames,
                                [&](const Box& box) {
                                    return std::abs(box.rect.x - best.x) < 3
                                        && std::abs(box.rect.y - best.y) < 3;
                                })
          == 1);
    // The selection has a line of 2 points, which looked the same.
    CHECK(frames.front().stroke == 1);
}

TEST_CASE("the colour bar of a heat map has the colours and the values of its extreme cells")
{
    const SmallStudy small;
    const MarkedScene map = drawn(small, 0);
    const auto boxes = shapesOf<Box>(map);
    const auto colourAt = [&](const char* n, const char* scheme) {
        const Rect& cell = markOf(map, small.at(n, "0.5", scheme)).rect;
        return std::ranges::find_if(boxes,
                                    [&](const Box& box) {
                                        return std::abs(box.rect.x - cell.x) < 1
                                            && std::abs(box.rect.y - cell.y) < 1;
                                    })
            ->fill;
    };
    std::vector<Box> bar;
    for (const Box& box : boxes)
        if (box.rect.width == 10)
            bar.push_back(box);
    REQUIRE(bar.size() == 32);
    CHECK(bar.front().fill == colourAt("16", "bitpipe")); // 17, at the top
    CHECK(bar.back().fill == colourAt("4", "1f1b"));      // 4.5
    for (const char* text : {"17.0", "4.5"})
        CHECK(std::ranges::count(shapesOf<Text>(map), text, &Text::text) == 2); // cell and bar
    for (const Box& box : bar)
        CHECK(isInside(box.rect, map.scene.width, map.scene.height));
}

TEST_CASE("a cell of a phase map names the winner and its lead, and is darker for a larger one")
{
    SmallStudy small;
    const MarkedScene map = drawn(small, 2);
    CHECK(hasText(map, "BitPipe"));
    CHECK(hasText(map, "shade and \u00d7: the lead over the second"));
    CHECK(hasText(map, "OOM: out of memory")); // N = 32 does not fit
    small.results[small.at("32", "0", "gpipe")] = {{}, "impossible", true};
    CHECK(hasText(drawn(small, 2), "OOM: out of memory; hatched: not possible"));
    small.study.onlyFitting = false;
    CHECK_FALSE(hasText(drawn(small, 2), "out of memory"));

    const auto fill = [](const MarkedScene& chart, std::size_t point) {
        const Rect& cell = markOf(chart, point).rect;
        const auto boxes = shapesOf<Box>(chart);
        return std::ranges::find_if(
                   boxes,
                   [&](const Box& box) { return box.rect.x == cell.x && box.rect.y == cell.y; })
            ->fill;
    };
    ChartStyle style;
    style.width = 1200; // the leads fit in their cells
    const MarkedScene wide = drawn(small, 2, style);
    CHECK(hasText(wide, "7.0, 1.14 \u00d7 to second")); // BitPipe takes 7 and 1F1B 8
    CHECK(hasText(wide, "15.0, 1.07 \u00d7 to second"));
    constexpr Colour kWhite{255, 255, 255};
    CHECK(contrast(fill(wide, small.at("8", "0", "bitpipe")), kWhite)
          > contrast(fill(wide, small.at("16", "0", "bitpipe")), kWhite));
}

TEST_CASE("a map that fills its height has higher rows, up to a limit")
{
    const SmallStudy small;
    ChartStyle style;
    style.fillsHeight = true;
    style.width = 500;
    style.height = 150;
    const double low = drawn(small, 0, style).marks.front().rect.height;
    style.height = 900;
    const double high = drawn(small, 0, style).marks.front().rect.height;
    CHECK(low > 20);
    CHECK(high > low);
    CHECK(high <= 35);
    CHECK(drawn(small, 0, style).scene.width == 500);
}

TEST_CASE("the best of a cell of a phase map is the point of its mark")
{
    const SmallStudy small;
    const MarkedScene map = drawn(small, 2);
    CHECK(map.marks.size() == 8); // 4 N x 2 transfer times
    markOf(map, small.at("8", "0", "bitpipe"));
    markOf(map, small.at("8", "0.5", "1f1b"));
    CHECK(hasText(map, "1F1B"));
}

TEST_CASE("a Pareto chart shades what is over the memory of a device")
{
    SmallStudy small;
    CHECK_FALSE(
        hasText(drawn(small, 1), "over 10.0 GiB usable")); // GPipe does not fit and is left out
    small.study.onlyFitting = false;
    const MarkedScene front = drawn(small, 1);
    CHECK(hasText(front, "over 10.0 GiB usable"));
    CHECK(front.marks.size() == 3);
    const auto dashed = shapesOf<Line>(front);
    const auto limit = std::ranges::find_if(dashed, &Line::dashed);
    REQUIRE(limit != dashed.end());
    CHECK(markOf(front, small.at("8", "0", "gpipe")).rect.x > limit->x1 - 7);
    CHECK(markOf(front, small.at("8", "0", "1f1b")).rect.x < limit->x1);
    CHECK_FALSE(hasText(front, "not drawn"));
    small.results[small.at("8", "0", "1f1b")].values.of[StudyMetric::PeakBytes] = std::nullopt;
    small.study.onlyFitting = true;
    CHECK(hasText(drawn(small, 1), "not drawn: 1 out of memory, 1 without peak memory"));
    small.study.onlyFitting = false;
    small.results[small.at("8", "0", "gpipe")].values.of[StudyMetric::UsableMemory] = 1e12;
    CHECK_FALSE(hasText(drawn(small, 1), "over 10.0 GiB usable")); // not the same memory
}

TEST_CASE("the marks of a line are its points, from left to right")
{
    SmallStudy small;
    small.study.charts.front().kind = StudyChart::Kind::Lines;
    small.study.onlyFitting = false;
    const MarkedScene lines = drawn(small, 0);
    CHECK(lines.marks.size() == 12);
    CHECK(hasText(lines, "\u00d7 not possible")); // BitPipe with N = 4 has a cross
    CHECK(hasText(lines, "each step doubles"));   // N is 4, 8 and 16
    const auto x = [&](const char* n) { return markOf(lines, small.at(n, "0.5", "1f1b")).rect.x; };
    CHECK(x("16") - x("8") == Approx(x("8") - x("4")));
    const SceneMark& eight = markOf(lines, small.at("8", "0.5", "1f1b"));
    const SceneMark& sixteen = markOf(lines, small.at("16", "0.5", "1f1b"));
    CHECK(eight.row == sixteen.row);
    CHECK(eight.rect.x < sixteen.rect.x);
    CHECK(eight.rect.y > sixteen.rect.y); // 8.5 is below 16.5
    small.study.charts.front().kind = StudyChart::Kind::Bars;
    CHECK(drawn(small, 0).marks.size() == 12);
    small.study.onlyFitting = true;
    CHECK(hasText(drawn(small, 0), "\u25a1 out of memory; \u00d7 not possible"));
}

namespace {

// Lines along N over the peak memory.
struct Curves : SmallStudy
{
    Curves()
    {
        StudyChart& chart = study.charts.front();
        chart = StudyChart();
        chart.x = "peak_bytes";
        chart.y = "iteration";
        chart.along = "micro-batches";
        chart.where = {{"p2p", "0"}};
        study.onlyFitting = false;
    }
    std::optional<double>& peak(const char* n, const char* scheme)
    {
        return results[at(n, "0", scheme)].values.of[StudyMetric::PeakBytes];
    }
};

} // namespace

TEST_CASE("the lines of a curve join the points along an axis, over a metric")
{
    const Curves small;
    const MarkedScene lines = drawn(small, 0);
    CHECK(hasText(lines, "Peak memory, GiB"));
    const Rect eight = markOf(lines, small.at("8", "0", "gpipe")).rect;
    const Rect last = markOf(lines, small.at("32", "0", "gpipe")).rect;
    CHECK(eight.x < last.x); // 12 and 24 GiB
    CHECK(eight.y > last.y);
}

// They were joined from left to right.
TEST_CASE("a curve that turns back joins its points along the axis and is named at the right")
{
    Curves small;
    small.peak("4", "gpipe") = 14 * SmallStudy::kGibibyte;
    small.peak("8", "gpipe") = 7 * SmallStudy::kGibibyte;
    small.peak("16", "gpipe") = 10 * SmallStudy::kGibibyte;
    small.peak("32", "gpipe") = 8 * SmallStudy::kGibibyte;
    const MarkedScene chart = drawn(small, 0);
    const auto centre = [&](const char* n) {
        const Rect& mark = markOf(chart, small.at(n, "0", "gpipe")).rect;
        return std::pair(mark.x + mark.width / 2, mark.y + mark.height / 2);
    };
    const auto lines = shapesOf<Line>(chart);
    const auto areJoined = [&](const char* from, const char* to) {
        const auto [x1, y1] = centre(from);
        const auto [x2, y2] = centre(to);
        return std::ranges::any_of(lines, [&](const Line& line) {
            return std::abs(line.x1 - x1) + std::abs(line.y1 - y1) + std::abs(line.x2 - x2)
                + std::abs(line.y2 - y2)
                < 1e-6;
        });
    };
    CHECK(areJoined("4", "8"));
    CHECK(areJoined("8", "16"));
    CHECK(areJoined("16", "32"));
    const auto texts = shapesOf<Text>(chart);
    const auto name = std::ranges::find(texts, "GPipe", &Text::text);
    REQUIRE(name != texts.end());
    CHECK(std::abs(name->x - centre("4").first) < std::abs(name->x - centre("32").first));
}

// A point without x disappeared, and one without both was drawn at the least x.
TEST_CASE("a curve lists the points that have no x")
{
    Curves small;
    small.peak("8", "bitpipe") = std::nullopt; // N = 4 is not possible
    const MarkedScene chart = drawn(small, 0);
    CHECK(hasText(chart, "no peak memory: BitPipe at 4, BitPipe at 8"));
    for (const char* n : {"4", "8"})
        CHECK(std::ranges::count(chart.marks, small.at(n, "0", "bitpipe"), &SceneMark::point) == 0);
    CHECK_FALSE(hasText(chart, "not possible"));
    for (const char* scheme : {"gpipe", "1f1b"})
        for (const char* n : {"8", "16"})
            small.peak(n, scheme) = std::nullopt;
    CHECK(hasText(drawn(small, 0), "6 points without peak memory"));
}

TEST_CASE("a printed chart has the size and the font of its publication, and cuts no name")
{
    SmallStudy small;
    StudyChart& chart = small.study.charts.front();
    chart.kind = StudyChart::Kind::Lines;
    chart.series = "case"; // long names
    small.study.grid.back()
        = {"case", {"GPipe with the longest name of all that are shown", "b", "c"}};
    for (auto& point : small.points)
        point.values.back() = point.values.back() == "gpipe" ? small.study.grid.back().values[0]
            : point.values.back() == "1f1b"                  ? "b"
                                                             : "c";
    const Scene printed = drawPrintedChart(small, chart, {240, 0, 7}).value();
    CHECK(printed.width == Approx(240));
    CHECK(printed.height < 170);
    for (const Group& group : printed.groups)
        for (const SceneShape& shape : group.shapes)
            if (const auto* text = std::get_if<Text>(&shape)) {
                CHECK(text->size == Approx(7));
                if (text->anchor == Text::Anchor::Start)
                    CHECK(text->x + textWidth(text->text) * 7 / kChartText <= 240.5);
            }
    const SmallStudy maps;
    for (const std::size_t map :
         {std::size_t{0}, std::size_t{2}}) { // their captions need two lines
        const Scene narrow = drawPrintedChart(maps, maps.study.charts[map], {200, 0, 7}).value();
        for (const SceneShape& shape : narrow.groups.front().shapes)
            if (const auto* text = std::get_if<Text>(&shape);
                text != nullptr && text->anchor == Text::Anchor::Start) {
                CAPTURE(text->text);
                CHECK(text->x + textWidth(text->text) * 7 / kChartText <= 200.5);
                CHECK(text->baseline <= narrow.height);
            }
    }
}

// Schemes that were possible only at the first x were named at the right end, far from their point.
TEST_CASE("a line that ends early is named next to its last point")
{
    SmallStudy small;
    small.study.charts.front().kind = StudyChart::Kind::Lines;
    small.study.onlyFitting = false;
    for (const char* n : {"8", "16", "32"})
        small.results[small.at(n, "0.5", "gpipe")] = {{}, "impossible", true};
    const MarkedScene lines = drawn(small, 0);
    const auto texts = shapesOf<Text>(lines);
    const auto xOf = [&](const char* name) {
        const auto label = std::ranges::find(texts, name, &Text::text);
        REQUIRE(label != texts.end());
        return label->x;
    };
    CHECK(std::abs(xOf("GPipe") - markOf(lines, small.at("4", "0.5", "gpipe")).rect.x) < 60);
    CHECK(xOf("1F1B") > markOf(lines, small.at("32", "0.5", "1f1b")).rect.x);
}

TEST_CASE("the interval of a measured iteration is an error bar")
{
    SmallStudy small;
    small.study.onlyFitting = false;
    for (const auto kind : {StudyChart::Kind::Lines, StudyChart::Kind::Bars}) {
        small.study.charts.front().kind = kind;
        StudyValues& values = small.results[small.at("32", "0.5", "bitpipe")].values;
        auto &low = values.low[StudyMetric::Iteration], &high = values.high[StudyMetric::Iteration];
        low = high = std::nullopt;
        const auto plain = shapesOf<Line>(drawn(small, 0));
        low = 30;
        high = 60; // over the other values, which end at 33
        const MarkedScene chart = drawn(small, 0);
        const auto lines = shapesOf<Line>(chart);
        const auto isUpright
            = [](const Line& line) { return line.x1 == line.x2 && line.y1 - line.y2 > 50; };
        REQUIRE(std::ranges::count_if(lines, isUpright) == 1);
        CHECK(std::ranges::none_of(plain, isUpright));
        const auto bar = std::ranges::find_if(lines, isUpright);
        CHECK(bar->y2 > 0); // the scale has room for it
        const Rect& mark = markOf(chart, small.at("32", "0.5", "bitpipe")).rect;
        CHECK(bar->x1 == Approx(mark.x + mark.width / 2));
    }
}

TEST_CASE("a chart without results says so, and one without possible points why")
{
    SmallStudy small;
    small.results.assign(small.points.size(), {});
    for (const std::size_t chart : {0U, 1U, 2U})
        CHECK(hasText(drawn(small, chart), "No results yet"));
    for (StudyResult& result : small.results)
        result = {{}, "impossible", true};
    CHECK(hasText(drawn(small, 1), "No point of this chart has a value: impossible"));
    CHECK(drawn(small, 0).marks.size() == 12);
}

TEST_CASE("series have contrast to the ground of every style")
{
    ChartStyle dark;
    dark.ground = {21, 24, 29};
    dark.ink = {231, 234, 238};
    std::vector<std::string> schemes;
    for (const Scheme& scheme : engine::schemes())
        schemes.emplace_back(scheme.name);
    for (const SeriesLook& look : seriesLooks("scheme", schemes, dark)) {
        CHECK(contrast(look.colour, dark.ground) >= 3);
        CHECK(contrast(look.text, dark.ground) >= kSmallestInk);
    }
    for (const SeriesLook& look : seriesLooks("scheme", schemes, {})) {
        CHECK(contrast(look.colour, ChartStyle().ground) >= 2);
        CHECK(contrast(look.text, ChartStyle().ground) >= kSmallestInk);
    }
}

// Ten lines had eight colours, and GPipe and BitPipe were both black.
TEST_CASE("the series of a chart look different, and the known schemes alike in all studies")
{
    std::vector<std::string> schemes;
    for (const Scheme& scheme : engine::schemes())
        schemes.emplace_back(scheme.name);
    const auto isTwice = [](const std::vector<SeriesLook>& looks) {
        for (std::size_t i = 0; i < looks.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (looks[i] == looks[k])
                    return true;
        return false;
    };
    CHECK_FALSE(isTwice(seriesLooks("scheme", schemes, {})));
    const std::vector<std::string> cases(20, "case");
    CHECK_FALSE(isTwice(seriesLooks("case", cases, {})));
    const auto ten = seriesLooks("scheme",
                                 {"gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "zb-v", "v-half",
                                  "chimera", "mixpipe", "bitpipe", "dualpipe"},
                                 {});
    for (std::size_t i = 0; i < ten.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            CHECK_FALSE(ten[i].colour == ten[k].colour);
    CHECK(ten[8].colour == ChartStyle().ink);
    CHECK(ten[8].width == 2.4);
    CHECK(seriesLooks("scheme", {"zb-v", "bitpipe"}, {}).back() == ten[8]);
    CHECK(seriesLooks("scheme", {"zb-v", "bitpipe"}, {}).front() == ten[4]);
    CHECK(ten[4].colour == Colour{21, 131, 174});
}

// Bars and cells have no dashes and no markers, and showed two series in the same colour.
TEST_CASE("boxes of series with the same colour differ by a hatch")
{
    const auto looks = seriesLooks("case", std::vector<std::string>(28, "case"), {});
    for (std::size_t i = 0; i < looks.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            CHECK((looks[i].colour != looks[k].colour || looks[i].hatch != looks[k].hatch));
    SmallStudy small;
    auto& axis = small.study.charts.front();
    axis.kind = StudyChart::Kind::Bars;
    axis.series = "micro-batches";
    axis.x = "scheme";
    CHECK(shapesOf<Hatch>(drawn(small, 0)).empty()); // four series have four colours
}

// Charts named their axes by keys: "speed up over 1f1b", "p2p", "micro-batch-size".
TEST_CASE("axes and captions have the labels and units of their options")
{
    SmallStudy small;
    CHECK(hasText(drawn(small, 2), "Iteration of the best scheme, units; shade"));
    CHECK(hasText(drawn(small, 2), "P2P message"));
    CHECK(hasText(drawn(small, 0), "Micro-batches N"));
    small.study.charts.front().kind = StudyChart::Kind::Lines;
    small.study.charts.front().x = "p2p";
    small.study.charts.front().y = "speed_up";
    small.study.charts.front().where = {{"micro-batches", "8"}};
    small.study.onlyFitting = false;
    const MarkedScene lines = drawn(small, 0);
    CHECK(hasText(lines, "P2P message, units"));
    CHECK(hasText(lines, "Speed-up"));
    small.study.ratios.front().name = small.study.charts.front().y = "speed_up_over_1f1b";
    CHECK(hasText(drawn(small, 0), "Speed-up over 1F1B"));
}

// A map had 14.7 beside 386, and an axis 5.00 below 10.0.
TEST_CASE("the numbers of a map and of an axis have the same decimals")
{
    SmallStudy small;
    auto& greatest = small.results[small.at("16", "0.5", "bitpipe")].values.of;
    greatest[StudyMetric::Iteration] = 386;
    CHECK(hasText(drawn(small, 0), "386"));
    for (const Text& text : shapesOf<Text>(drawn(small, 0)))
        CHECK(text.text.find("4.5") == std::string::npos);
    greatest[StudyMetric::Iteration] = 12;
    small.study.charts.front().kind = StudyChart::Kind::Bars;
    const auto texts = shapesOf<Text>(drawn(small, 0));
    CHECK(std::ranges::count(texts, "10", &Text::text) == 1);
    CHECK(std::ranges::count(texts, "10.0", &Text::text) == 0);
}

TEST_CASE("the zero of an axis has no decimals")
{
    SmallStudy small;
    small.study.charts.front().kind = StudyChart::Kind::Bars;
    const auto texts = shapesOf<Text>(drawn(small, 0));
    CHECK(std::ranges::count(texts, "0", &Text::text) == 1);
    CHECK(std::ranges::count(texts, "0.00", &Text::text) == 0);
}

// The points with the least memory were on the value axis, and the ring of the selected one
// covered its label.
TEST_CASE("the points of a Pareto chart are off the axis, and their labels outside a ring")
{
    SmallStudy small;
    small.study.onlyFitting = false;
    const MarkedScene front = drawn(small, 1);
    for (const SceneMark& mark : front.marks)
        CHECK(mark.rect.x > 64);
    const auto texts = shapesOf<Text>(front);
    for (const auto& [scheme, title] : {std::pair("gpipe", "GPipe"), std::pair("1f1b", "1F1B"),
                                        std::pair("bitpipe", "BitPipe")}) {
        const Rect& mark = markOf(front, small.at("8", "0", scheme)).rect;
        const auto label = std::ranges::find(texts, title, &Text::text);
        REQUIRE(label != texts.end());
        const bool isBeside = label->x >= mark.x + mark.width + 3
            || label->x + 0.56 * label->size * static_cast<double>(label->text.size())
                <= mark.x - 3;
        const bool isAbove = label->baseline <= mark.y - 3,
                   isBelow = label->baseline - 10 >= mark.y + mark.height + 3;
        CHECK((isBeside || isAbove || isBelow));
    }
}
