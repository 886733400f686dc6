#include "engine/backend/bfloat16.h"
#include "tests/catch.h"
#include "tests/support/finite_differences.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

using namespace engine;

namespace {

float valueOf(std::uint32_t bits)
{
    bfloat16 x;
    x.bits = static_cast<std::uint16_t>(bits);
    return static_cast<float>(x);
}

std::uint16_t stored(float x)
{
    return bfloat16(x).bits;
}

} // namespace

TEST_CASE("a bfloat16 is two plain bytes that any float fits into and back")
{
    static_assert(sizeof(bfloat16) == 2 && std::is_trivial_v<bfloat16>);
    static_assert(kPlacesOfWide<bfloat16> == 2 && kPlacesOfWide<float> == 1);
    static_assert(std::is_same_v<Wide<bfloat16>, float> && std::is_same_v<Wide<double>, double>);
    for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
        const float x = valueOf(bits);
        if (std::isnan(x))
            CHECK(std::isnan(valueOf(stored(x))));
        else
            REQUIRE(stored(x) == bits);
    }
}

TEST_CASE("floats are rounded to the nearest bfloat16, and from halfway to the even one")
{
    for (std::uint32_t bits = 0x3F80; bits < 0x4180; ++bits) { // from 1 to 16
        const float below = valueOf(bits), above = valueOf(bits + 1), half = (below + above) / 2;
        CHECK(stored(half) == (bits % 2 == 0 ? bits : bits + 1));
        CHECK(stored(std::nextafter(half, below)) == bits);
        CHECK(stored(std::nextafter(half, above)) == bits + 1);
        CHECK(stored(-half) == (stored(half) | 0x8000));
    }
}

TEST_CASE("rounding errs by 2^-8 at most, and as much up as down")
{
    double sum = 0, worst = 0;
    const Numbers numbers = noise(100'000, 3);
    for (const double x : numbers) {
        const auto single = static_cast<float>(x);
        const double error
            = (static_cast<double>(bfloat16(single)) - static_cast<double>(single)) / x;
        worst = std::max(worst, std::abs(error));
        sum += error;
    }
    CHECK(worst <= 0x1p-8);
    CHECK(worst > 0x1p-8 * 0.99);
    CHECK(std::abs(sum) / static_cast<double>(numbers.size()) < 3e-5);
}

TEST_CASE("values too large for a bfloat16 become infinite, and a NaN stays NaN")
{
    using Limits = std::numeric_limits<float>;
    CHECK(stored(Limits::max()) == 0x7F80);
    CHECK(stored(-Limits::max()) == 0xFF80);
    CHECK(stored(Limits::infinity()) == 0x7F80);
    CHECK(std::isnan(valueOf(stored(Limits::quiet_NaN()))));
    // Whose payload is only in the half that goes.
    CHECK(std::isnan(valueOf(stored(std::bit_cast<float>(0x7F800001U)))));
    CHECK(std::isnan(valueOf(stored(std::bit_cast<float>(0xFFFFFFFFU)))));
    CHECK(stored(Limits::denorm_min()) == 0);
    CHECK(stored(-0.0F) == 0x8000);
}
