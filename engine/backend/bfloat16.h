#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define BS_HOST_DEVICE __host__ __device__
#else
#define BS_HOST_DEVICE
#endif

namespace engine {

// The storage type of mixed precision: the upper half of a float, with 8 bits of exponent and 8 of
// precision. It has no arithmetic: operations widen their inputs, compute in float, and round
// results once. Its memory layout is that of CUDA's __nv_bfloat16.
struct bfloat16 // NOLINT(readability-identifier-naming): a number type, like float
{
    std::uint16_t bits;

    bfloat16() = default;
    // Rounds to nearest, ties to even; overflow gives infinity; NaN stays NaN.
    BS_HOST_DEVICE explicit bfloat16(float x)
    {
        const auto wide = __builtin_bit_cast(std::uint32_t, x);
        const std::uint32_t nearest = wide + 0x7FFFU + ((wide >> 16U) & 1U);
        const bool isNan = (wide & 0x7FFFFFFFU) > 0x7F800000U;
        bits = static_cast<std::uint16_t>((isNan ? wide | 0x400000U : nearest) >> 16U);
    }
    BS_HOST_DEVICE explicit operator float() const // exact
    {
        return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16U);
    }
    BS_HOST_DEVICE explicit operator double() const { return static_cast<float>(*this); }
    friend bool operator==(const bfloat16&, const bfloat16&) = default; // bitwise
};

template<class Real>
struct WideOf
{
    using Type = Real;
};
template<>
struct WideOf<bfloat16>
{
    using Type = float;
};
template<>
struct WideOf<const bfloat16>
{
    using Type = const float;
};
// The type in which operations on Real compute. It also stores weight gradients, master weights,
// moments, statistics of norms and of attention, and losses.
template<class Real>
using Wide = typename WideOf<Real>::Type;

// The number of values of Real that fit in the memory of one wide number.
template<class Real> // NOLINTNEXTLINE(bugprone-sizeof-expression): takes it for an array's size
constexpr std::size_t kPlacesOfWide = sizeof(Wide<Real>) / sizeof(Real);

template<class Real>
constexpr std::size_t inWide(std::size_t numbers)
{
    return (numbers + kPlacesOfWide<Real> - 1) / kPlacesOfWide<Real>;
}

// Rounds a number of Real values up to the next number that fills whole values of Wide<Real>.
template<class Real>
constexpr std::size_t wholePlaces(std::size_t numbers)
{
    return inWide<Real>(numbers) * kPlacesOfWide<Real>;
}

} // namespace engine
