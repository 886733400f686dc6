#include "profiler/analysis/ticks.h"
#include "tests/catch.h"

#include <cmath>

TEST_CASE("labelled marks stand 1, 2 or 5 times a power of ten apart, with room for the label")
{
    for (const double pixels : {0.0037, 0.11, 0.9, 7.0, 13.0, 48.0, 333.0}) {
        const profiler::Ticks ticks = profiler::ticks(0, 1000 / pixels, 60 / pixels);
        const double mantissa
            = ticks.step / std::pow(10, std::floor(std::log10(ticks.step) + 1e-9));
        CHECK((mantissa == Approx(1) || mantissa == Approx(2) || mantissa == Approx(5)));
        CHECK(ticks.step * pixels >= 60 * 0.999);
        CHECK(ticks.step * pixels < 150.1);
    }
}

TEST_CASE("115 ms on 802 pixels are marked every 10 ms")
{
    const profiler::Ticks ticks = profiler::ticks(0, 115, 60 / (802.0 / 115));
    CHECK(ticks.step == 10);
    CHECK(ticks.major.size() == 12);
    CHECK(ticks.minor.size() == 58);
    CHECK(ticks.decimals == 0);
}

TEST_CASE("half a millisecond needs one decimal")
{
    const profiler::Ticks ticks = profiler::ticks(57.7, 64, 60 / (828 / 6.3));
    CHECK(ticks.step == Approx(0.5));
    CHECK(ticks.decimals == 1);
    CHECK(ticks.major.front() == Approx(58));
}

TEST_CASE("an axis without length has no marks")
{
    CHECK(profiler::ticks(0, 0, 1).major.empty());
    CHECK(profiler::ticks(0, 5, 0).major.empty());
}
