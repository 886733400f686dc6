#include "profiler/figure/checks.h"
#include "profiler/figure/legend_entries.h"
#include "tests/profiler/figure/figure_runs.h"

#include <set>

using namespace profiler;

namespace {

struct Drawn
{
    Scene scene;
    std::vector<FigureCheck> checks;

    std::set<std::string> fills(std::string_view cls) const
    {
        std::set<std::string> found;
        for (const Group& group : scene.groups)
            for (const SceneShape& shape : group.shapes)
                if (const auto* box = std::get_if<Box>(&shape); box && box->cls.starts_with(cls))
                    found.insert(hex(box->fill));
        return found;
    }
    std::string legend() const
    {
        std::string all;
        for (const SceneShape& shape : scene.groups.back().shapes)
            if (const auto* text = std::get_if<Text>(&shape))
                all += text->text + "; ";
        return all;
    }
};

Drawn drawn(const engine::Run& run, ColourBy by)
{
    FigureOptions options;
    options.width = 8 * kPointsPerInch;
    options.timeAxis = false; // the legend is then the last group
    options.colourBy = by;
    const engine::Run* runs[] = {&run};
    auto scene = layoutFigure(runs, options).value();
    auto checks = checkFigure(scene, options);
    return {std::move(scene), std::move(checks)};
}

} // namespace

TEST_CASE("a figure coloured by chunk has one hue per chunk, with forward lighter")
{
    const Drawn figure = drawn(tests::unitRun("bitpipe", 4, 4), ColourBy::Chunk);
    const Palette palette = loadPalette("default", ThemeMode::Light).value();
    CHECK(figure.fills("op F")
          == std::set{hex(hueFill(palette, 0, Tint::Forward)),
                      hex(hueFill(palette, 1, Tint::Forward))});
    CHECK(figure.fills("op B").size() == 2);
    CHECK(figure.legend().starts_with("chunk 0: forward, backward; 1; direction up; bubble; "));
}

TEST_CASE("a figure coloured by duration has a scale that is legible in grey")
{
    const Drawn figure = drawn(tests::measuredRun("bitpipe", 4, 4), ColourBy::Duration);
    CHECK(figure.fills("op F") != figure.fills("op B"));
    CAPTURE(figure.legend(), figure.checks[2].text);
    CHECK(figure.legend().starts_with("duration of an op, 0 to 1 ms; optimizer; "));
    CHECK(figure.checks[2] == FigureCheck{true, "legible in grey"});
    const Palette palette = loadPalette("default", ThemeMode::Light).value();
    for (int step = 1; step < kDurationSteps; ++step)
        CHECK(contrast(durationFill(palette, step), palette.surface)
              > contrast(durationFill(palette, step - 1), palette.surface));
}

TEST_CASE("hues that print alike in grey are reported, also of equal kinds")
{
    const auto grey = [](ColourBy by) { return drawn(tests::unitRun("1f1b", 4, 4), by).checks[2]; };
    const FigureCheck stages = grey(ColourBy::Stage);
    CHECK_FALSE(stages.good);
    CHECK(
        stages.text
        == "B stage 0 and B stage 1 look alike in grey (lightness 41 and 49); colour by operation "
           "or duration");
    CHECK(grey(ColourBy::Operation).good);
}

TEST_CASE("hues repeat after eight groups, and the legend shows which groups share one")
{
    const Drawn figure = drawn(tests::unitRun("1f1b", 2, 9), ColourBy::MicroBatch);
    CHECK(figure.fills("op F").size() == 8);
    CHECK(figure.legend().starts_with("micro-batch 0: forward, backward; 1; "));
    LegendContent content;
    content.by = ColourBy::MicroBatch;
    content.groups = 10;
    const Palette palette = loadPalette("default", ThemeMode::Light).value();
    CHECK(legendEntries(content, palette)[1].text == "1, 9 \u2026");
    CHECK(legendEntries(content, palette)[2].text == "2");
}
