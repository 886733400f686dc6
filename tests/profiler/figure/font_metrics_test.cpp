#include "profiler/figure/font_metrics.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <cstdio>
#include <fstream>

using namespace profiler;

TEST_CASE("widths are the advances of the font file: digits are tabular, widths add up")
{
    const auto families = installedFonts();
    REQUIRE_FALSE(families.empty()); // the package fonts-roboto-unhinted
    const FontMetrics font = loadFont(families[0]).value().regular;
    const double digit = font.width("0", 10);
    for (const char* other : {"1", "2", "3", "4", "5", "6", "7", "8", "9"})
        CHECK(font.width(other, 10) == Approx(digit));
    CHECK(font.width("14", 10) == Approx(2 * digit));
    CHECK(font.width("0", 5) == Approx(digit / 2));
    CHECK(font.width("", 10) == 0);
    CHECK(font.width("i", 10) < font.width("W", 10));
    CHECK(font.capHeight(10) > 6);
    CHECK(font.capHeight(10) < 8);
}

TEST_CASE("Roboto's digits are 1151 of 2048 units wide")
{
    const auto font = loadFont("Roboto");
    if (!font) {
        WARN("SKIPPED: " << font.error().message);
        return;
    }
    CHECK(font->regular.width("0", 2048) == Approx(1151));
    CHECK(font->regular.width("\u2212", 2048) > 600); // beyond one byte: the true minus sign
    CHECK(font->bold.width("0", 2048) > 1151);
}

TEST_CASE("a file that is no font is refused by name, however it is broken")
{
    const tests::TemporaryFolder folder;
    const auto file = folder / "broken.ttf";
    for (const std::size_t bytes : {0U, 3U, 12U, 200U}) {
        std::ofstream(file, std::ios::binary) << std::string(bytes, '\xFF');
        const auto font = FontMetrics::load(file);
        REQUIRE_FALSE(font.has_value());
        CHECK(font.error().message == file.string() + " is not a TrueType or OpenType font");
    }
}
