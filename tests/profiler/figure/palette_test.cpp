#include "engine/timeline/nvtx_range.h"
#include "profiler/figure/palette.h"
#include "tests/catch.h"

#include <fmt/format.h>

using engine::Op;
using engine::OpKind;
using namespace engine;
using namespace profiler;

namespace {

Op op(OpKind kind)
{
    Op result;
    result.kind = kind;
    return result;
}

} // namespace

// W had a contrast of 1.7 to the lane.
TEST_CASE("a box or its edge has a contrast of 3 to the lane, in every palette")
{
    for (const std::string& name : paletteNames())
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            const Palette palette = loadPalette(name, mode).value();
            for (int kind = 0; kind < engine::kOpKinds; ++kind)
                for (int chunk = 0; chunk < 3; ++chunk) {
                    CAPTURE(name, static_cast<int>(mode), kind, chunk);
                    const Colour fill = palette.fill(static_cast<engine::OpKind>(kind), chunk);
                    CHECK(contrast(palette.edgeOf(fill), palette.surface) >= kMarkContrast);
                    CHECK((contrast(fill, palette.surface) < kMarkContrast
                           || palette.edgeOf(fill) == fill));
                }
        }
}

TEST_CASE("contrast is the WCAG ratio")
{
    const Colour white{255, 255, 255}, black{0, 0, 0};
    CHECK(contrast(white, black) == Approx(21.0));
    CHECK(contrast(black, white) == Approx(21.0));
    CHECK(contrast(white, white) == Approx(1.0));
    CHECK(contrast(white, Colour{0x31, 0x5A, 0xC2}) == Approx(6.2).epsilon(0.01));
}

TEST_CASE("a colour and its hex text are inverses")
{
    for (const char* text : {"#315AC2", "#000000", "#FEBD29"})
        CHECK(hex(parseColour(text).value()) == text);
    CHECK(hex(parseColour("#febd29").value()) == "#FEBD29");
    for (const char* text : {"", "#", "315AC2", "#315AC", "#315AC2F", "#31 AC2", "#31GAC2"})
        CHECK_FALSE(parseColour(text).has_value());
}

TEST_CASE("mixing ends at its two colours")
{
    const Colour f{0x31, 0x5A, 0xC2}, white{255, 255, 255};
    CHECK(mix(f, white, 0) == f);
    CHECK(mix(f, white, 1) == white);
    CHECK(hex(mix(f, white, 0.35)) == "#7994D7");
}

TEST_CASE("the default palette is first and has the colours of the design")
{
    CHECK(paletteNames()
          == std::vector<std::string>{"default", "bitpipe", "dualpipe", "grey", "megatron",
                                      "zero-bubble"});
    const Palette p = loadPalette("default", ThemeMode::Light).value();
    CHECK(p.title == "Default");
    CHECK(hex(p.fill(OpKind::Forward, 0)) == "#315AC2");
    CHECK(hex(p.fill(OpKind::BackwardInput, 0)) == "#23AA9C");
    CHECK(hex(p.fill(OpKind::BackwardWeight, 0)) == "#FEBD29");
    CHECK(hex(p.fill(OpKind::AllReduce, 1)) == "#A62463");
    CHECK(hex(p.fill(OpKind::OptimizerStep, 1)) == "#621F02");
    CHECK(p.fill(OpKind::Forward, 1) == mix(p.forward, p.surface, 0.35));
    CHECK(p.fill(OpKind::Forward, 3) == p.fill(OpKind::Forward, 0));
    CHECK(p.stash == mix(p.forward, p.surface, 0.30));
    CHECK(p.inkOn(p.forward) == p.lightInk);
    CHECK(p.inkOn(p.backward) == p.darkInk);
}

TEST_CASE("every palette gives every compute op an ink of at least 4.5 : 1")
{
    for (const auto& name : paletteNames())
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark})
            for (const OpKind kind : {OpKind::Forward, OpKind::Backward, OpKind::BackwardWeight,
                                      OpKind::OptimizerStep, OpKind::AllReduce})
                for (int chunk = 0; chunk < 3; ++chunk) {
                    const auto palette = loadPalette(name, mode);
                    REQUIRE(palette.has_value());
                    const Colour fill = palette->fill(kind, chunk);
                    CAPTURE(name, int(mode), int(kind), chunk, hex(fill));
                    CHECK(contrast(palette->inkOn(fill), fill) >= 4.5);
                    for (const int direction : {0, 1}) {
                        Op numbered = op(kind);
                        numbered.replica = direction;
                        if (engine::isCompute(kind))
                            CHECK(contrast(palette->inkOf(numbered, fill), fill) >= 4.5);
                    }
                }
}

TEST_CASE("BitPipe's palette has white numbers up, black numbers down and lines per chunk")
{
    const Palette palette = loadPalette("bitpipe", ThemeMode::Light).value();
    Op down = op(OpKind::Forward), up = down;
    up.replica = 1;
    const Colour fill = palette.fill(OpKind::Forward);
    CHECK(palette.inkOf(down, fill) == palette.darkInk);
    CHECK(palette.inkOf(up, fill) == palette.lightInk);
    CHECK(palette.hatch(OpKind::Forward, 0).density == 0);
    CHECK(palette.hatch(OpKind::Forward, 1).density == 1);
}

TEST_CASE("an unknown palette names those there are")
{
    const auto palette = loadPalette("magenta", ThemeMode::Light);
    REQUIRE_FALSE(palette.has_value());
    CHECK(palette.error().code == engine::Error::Code::NotFound);
    CHECK(palette.error().message
          == "unknown palette 'magenta'; use one of: default, bitpipe, dualpipe, grey, megatron, "
             "zero-bubble");
}

TEST_CASE("a recompute has the fill of its forward and lines of its own in every palette")
{
    using enum OpKind;
    for (const auto& name : paletteNames())
        for (const int chunk : {0, 1}) {
            CAPTURE(name, chunk);
            const Palette palette = loadPalette(name, ThemeMode::Light).value();
            CHECK(palette.fill(Recompute, chunk) == palette.fill(Forward, chunk));
            CHECK(palette.hatch(Recompute, chunk).density > 0);
            CHECK(palette.hatch(Recompute, chunk).lines != palette.hatch(Forward, chunk).lines);
        }
}

TEST_CASE("an outer profiler shows ops in the colours of the default palette")
{
    const auto palette = loadPalette("default", ThemeMode::Light);
    REQUIRE(palette);
    for (int number = 0; number < kOpKinds; ++number) {
        const auto kind = static_cast<OpKind>(number);
        const RangeCategory& category = rangeCategory(kind);
        CAPTURE(category.name);
        CHECK(fmt::format("#{:06X}", category.argb & 0xFFFFFF) == hex(palette->fill(kind)));
        CHECK(category.argb >> 24 == 0xFF);
    }
}
