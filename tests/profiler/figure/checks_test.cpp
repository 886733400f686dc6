#include "profiler/figure/checks.h"
#include "profiler/figure/layout.h"
#include "tests/profiler/figure/figure_runs.h"

#include <cstdlib>

using namespace profiler;

namespace {

std::vector<FigureCheck> checks(const engine::Run& run, const FigureOptions& options = {})
{
    const engine::Run* runs[] = {&run};
    return checkFigure(layoutFigure(runs, options).value(), options);
}

} // namespace

TEST_CASE("the default figure of BitPipe D 4, N 4 is fit for print")
{
    const auto found = checks(tests::unitRun("bitpipe", 4, 4));
    CHECK(found[0] == FigureCheck{true, "smallest number 5.5 pt"});
    CHECK(found[1] == FigureCheck{true, "contrast of numbers at least 4.5 : 1"});
}

// Printed in grey, the forwards of chunk 1 are 148 and the backwards of chunk 0 are 128.
TEST_CASE("BitPipe's second chunk of forwards looks like a backward in grey, except with hatches")
{
    const auto found = checks(tests::unitRun("bitpipe", 4, 4))[2];
    CHECK_FALSE(found.good);
    CHECK(found.text
          == "B and F chunk 1 look alike in grey (lightness 63 and 62); use the palette "
             "grey, which has hatches");
    FigureOptions hatched;
    hatched.palette = "grey";
    CHECK(checks(tests::unitRun("bitpipe", 4, 4), hatched)[2]
          == FigureCheck{true, "legible in grey"});
}

TEST_CASE("numbers that do not fit are a warning that names the row")
{
    const auto found = checks(tests::unitRun("bitpipe", 4, 32));
    CHECK_FALSE(found[0].good);
    CHECK(found[0].text
          == "Device 0 and 3 more rows: numbers do not fit in their boxes; use a wider figure or a "
             "range");
    FigureOptions without;
    without.microBatches = false;
    CHECK(checks(tests::unitRun("bitpipe", 4, 32), without)[0] == FigureCheck{true, "no numbers"});
}

TEST_CASE("forward and backward look alike in grey with the palettes of DualPipe and BitPipe")
{
    for (const auto& name : paletteNames()) {
        FigureOptions options;
        options.palette = name;
        const auto found = checks(tests::unitRun("1f1b", 4, 4), options);
        CAPTURE(name);
        CHECK(found[1].good);
        CHECK(found[2].good == (name != "dualpipe" && name != "bitpipe"));
        if (name == "dualpipe")
            CHECK(found[2].text.starts_with("B and F look alike in grey (lightness "));
    }
}

TEST_CASE("ink under 4.5 : 1 is a warning that names the row")
{
    const engine::Run run = tests::unitRun("1f1b", 2, 2);
    const engine::Run* runs[] = {&run};
    Scene scene = layoutFigure(runs, {}).value();
    for (SceneShape& shape : scene.groups[1].shapes)
        if (auto* text = std::get_if<Text>(&shape))
            text->colour = {0x31, 0x5A, 0xC2};
    CHECK(checkFigure(scene, {})[1]
          == FigureCheck{false, "Device 1: contrast of numbers only 1.0 : 1"});
}

TEST_CASE("simulated vision keeps grey unchanged, and luminance without colours")
{
    const Colour forward{0x31, 0x5A, 0xC2}, grey{120, 120, 120}, white{255, 255, 255};
    for (const Sight sight : {Sight::Grey, Sight::Deuteranopia, Sight::Protanopia})
        CHECK(seen(grey, sight) == grey);
    CHECK(seen(forward, Sight::Colour) == forward);
    const Colour printed = seen(forward, Sight::Grey);
    CHECK(printed.red == printed.blue);
    CHECK(contrast(printed, white) == Approx(contrast(forward, white)).epsilon(0.01));
    // Red and green of equal use to a person without the green cones come close.
    const Colour red = seen({0xC0, 0x40, 0x40}, Sight::Deuteranopia);
    CHECK(std::abs(red.red - red.green) < 0x80);
}
