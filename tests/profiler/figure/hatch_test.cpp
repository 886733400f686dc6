#include "profiler/figure/layout.h"
#include "profiler/figure/scene.h"
#include "tests/profiler/figure/figure_runs.h"

#include <cmath>
#include <map>
#include <set>

using namespace profiler;

namespace {

Hatch hatchOf(HatchLines lines)
{
    Hatch hatch;
    hatch.rect = {3, 4, 20, 9};
    hatch.lines = lines;
    return hatch;
}

Scene greyFigure(const std::string& scheme)
{
    const engine::Run run = tests::measuredRun(scheme, 4, 8);
    const engine::Run* const runs[] = {&run};
    FigureOptions options;
    options.palette = "grey";
    options.width = 7 * kPointsPerInch;
    return layoutFigure(runs, options).value();
}

} // namespace

TEST_CASE("every direction of lines has the slope of its name")
{
    for (const Segment& s : hatchLines(hatchOf(HatchLines::Rising)))
        CHECK(s.y2 - s.y1 == Approx(s.x1 - s.x2)); // y points down
    for (const Segment& s : hatchLines(hatchOf(HatchLines::Falling)))
        CHECK(s.y2 - s.y1 == Approx(s.x2 - s.x1));
    for (const Segment& s : hatchLines(hatchOf(HatchLines::Horizontal))) {
        CHECK(s.y1 == Approx(s.y2));
        CHECK(s.x2 - s.x1 == Approx(20));
    }
    for (const Segment& s : hatchLines(hatchOf(HatchLines::Vertical))) {
        CHECK(s.x1 == Approx(s.x2));
        CHECK(std::abs(s.y2 - s.y1) == Approx(9));
    }
    CHECK(hatchLines(hatchOf(HatchLines::Horizontal)).size() == 3); // y = 6, 9, 12
    CHECK(hatchLines(hatchOf(HatchLines::Vertical)).size() == 7);   // x = 3, 6, ... 21
    CHECK(hatchLines(hatchOf(HatchLines::Crossed)).size()
          == hatchLines(hatchOf(HatchLines::Rising)).size()
              + hatchLines(hatchOf(HatchLines::Falling)).size());
    CHECK(hatchLines(hatchOf(HatchLines::None)).empty());
}

TEST_CASE("lines keep clear of a cut corner")
{
    Hatch hatch = hatchOf(HatchLines::Horizontal);
    hatch.cut = 4;
    for (const Segment& s : hatchLines(hatch)) {
        CHECK((s.x1 - 3) + (s.y1 - 4) >= 4 - 1e-9);
        CHECK(s.x2 == Approx(23));
    }
}

TEST_CASE("the grey palette tells ops apart by lines too, with numbers on plain ground")
{
    for (const std::string scheme : {"1f1b", "zb-h1", "bitpipe"}) {
        std::map<std::string, std::set<std::pair<int, int>>> looks; // op and chunk -> lines
        const Scene scene = greyFigure(scheme);
        for (const Group& group : scene.groups) {
            for (std::size_t k = 0; k < group.shapes.size(); ++k) {
                const auto* box = std::get_if<Box>(&group.shapes[k]);
                if (!box || !box->cls.starts_with("op ") || box->cls.starts_with("op OPT"))
                    continue;
                const auto* hatch = k + 1 < group.shapes.size()
                    ? std::get_if<Hatch>(&group.shapes[k + 1])
                    : nullptr;
                const bool isHatched = hatch && hatch->cls == "hatch";
                const std::string look = box->cls.substr(0, box->cls.find(" up"));
                looks[look].insert(
                    {isHatched ? static_cast<int>(hatch->lines) : 0,
                     isHatched ? static_cast<int>(std::lround(100 * hatch->spacing)) : 0});
                if (isHatched && k + 3 < group.shapes.size()) {
                    const auto* plate = std::get_if<Box>(&group.shapes[k + 2]);
                    const auto* number = std::get_if<Text>(&group.shapes[k + 3]);
                    if (number && number->cls == "micro-batch")
                        CHECK((plate && plate->cls == "plate" && plate->fill == box->fill));
                }
            }
        }
        std::set<std::pair<int, int>> all;
        for (const auto& [look, lines] : looks) {
            CAPTURE(scheme, look);
            REQUIRE(lines.size() == 1);               // one look each
            CHECK(all.insert(*lines.begin()).second); // and no two alike
        }
        CHECK(looks.size() >= 2);
    }
}

TEST_CASE("the colours of the other palettes are not hatched")
{
    const engine::Run run = tests::measuredRun("bitpipe", 4, 8);
    const engine::Run* const runs[] = {&run};
    CHECK(toSvg(layoutFigure(runs, {}).value()).find("\"hatch") == std::string::npos);
}
