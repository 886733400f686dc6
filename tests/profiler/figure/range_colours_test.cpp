#include "engine/timeline/nvtx_range.h"
#include "profiler/figure/palette.h"
#include "tests/catch.h"

#include <fmt/format.h>

using namespace engine;
using namespace profiler;

TEST_CASE("an outer profiler shows ops in the colours of the default palette")
{
    const auto palette = loadPalette("default", ThemeMode::Light);
    REQUIRE(palette);
    for (int kind = 0; kind < kOpKinds; ++kind) {
        Op op;
        op.kind = static_cast<OpKind>(kind);
        const RangeCategory& category = rangeCategory(op.kind);
        CAPTURE(category.name);
        CHECK(fmt::format("#{:06X}", category.argb & 0xFFFFFF) == hex(palette->fill(op, 0)));
        CHECK(category.argb >> 24 == 0xFF);
    }
}
