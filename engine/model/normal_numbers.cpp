#include "engine/base/attributes.h"
#include "engine/model/random.h"

#include <bit>
#include <cmath>

namespace engine {
namespace {

// The bits of the doubles 2^52 and 2^84. If an integer n replaces their lower 32 bits, which are 0,
// the doubles become 2^52 + n and 2^84 + 2^32 n.
constexpr std::uint64_t kLowMagic = 0x4330000000000000ULL, kHighMagic = 0x4530000000000000ULL;
constexpr double kBothMagics = 0x1p84 + 0x1p52;

// Converts an integer of up to 53 bits exactly, in two halves, because few CPUs can convert vectors
// of 64-bit integers.
BS_INLINE double toDouble(std::uint64_t bits)
{
    const auto low = std::bit_cast<double>((bits & 0xFFFFFFFFULL) | kLowMagic);
    const auto high = std::bit_cast<double>((bits >> 32U) | kHighMagic);
    return (high - kBothMagics) + low;
}

BS_INLINE double uniformAt(std::uint64_t state)
{
    return (toDouble(Random::mix(state) >> 11U) + 0.5) * 0x1p-53;
}

// For a normal x > 0. With x = 2^n m and m from 1 / sqrt 2 to sqrt 2, log m = 2 artanh s, where s =
// (m - 1) / (m + 1) and |s| <= 0.172.
BS_INLINE double logarithm(double x)
{
    constexpr std::uint64_t kOne = 0x3FF0000000000000ULL, kRootHalf = 0x3FE6A09E667F3BCDULL;
    constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + (kOne - kRootHalf);
    const double n = std::bit_cast<double>((bits >> 52U) | kLowMagic) - (0x1p52 + 1023);
    const auto m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFULL) + kRootHalf);
    const double s = (m - 1) / (m + 1), q = s * s;
    double p = 1.0 / 23;
    p = p * q + 1.0 / 21;
    p = p * q + 1.0 / 19;
    p = p * q + 1.0 / 17;
    p = p * q + 1.0 / 15;
    p = p * q + 1.0 / 13;
    p = p * q + 1.0 / 11;
    p = p * q + 1.0 / 9;
    p = p * q + 1.0 / 7;
    p = p * q + 1.0 / 5;
    p = p * q + 1.0 / 3;
    return n * kLn2High + (n * kLn2Low + (2 * s * q * p + 2 * s));
}

// cos 2 pi u for u in [0, 1], by the Taylor series of sin 2 pi (|u - 1/2| - 1/4), whose argument is
// exact and within [-pi/2, pi/2].
BS_INLINE double cosineOfTurns(double u)
{
    constexpr double kTurn = 6.283185307179586477;
    const double x = kTurn * (std::abs(u - 0.5) - 0.25), q = x * x;
    double p = 1.9572941063391261e-20; // 1 / 21!
    p = p * q - 8.2206352466243297e-18;
    p = p * q + 2.8114572543455208e-15;
    p = p * q - 7.6471637318198165e-13;
    p = p * q + 1.6059043836821615e-10;
    p = p * q - 2.5052108385441719e-08;
    p = p * q + 2.7557319223985891e-06;
    p = p * q - 1.9841269841269841e-04;
    p = p * q + 8.3333333333333333e-03;
    p = p * q - 1.6666666666666667e-01;
    return x + x * q * p;
}

} // namespace

template<class Real>
BS_VECTORIZED void fillNormal(std::uint64_t seed, double deviation, std::span<Real> numbers)
{
    Real* out = numbers.data();
    const std::size_t count = numbers.size();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t before = seed + 2 * i * Random::kStep;
        const double radius = std::sqrt(-2 * logarithm(uniformAt(before + Random::kStep)));
        const double turn = cosineOfTurns(uniformAt(before + 2 * Random::kStep));
        out[i] = static_cast<Real>(static_cast<float>(radius * turn * deviation));
    }
}

template void fillNormal(std::uint64_t, double, std::span<float>);
template void fillNormal(std::uint64_t, double, std::span<double>);

} // namespace engine
