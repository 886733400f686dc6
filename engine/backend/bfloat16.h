#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define BS_HOST_DEVICE __host__ __device__
#else
#define BS_HOST_DEVICE
#endif

namespace engine {

// A number of mixed-precision training as it is stored: the upper half of a float, 8 bits of
// exponent and 8 of precision. It has no arithmetic: operations widen what they read, compute in
// float, and round once what they store. Lies in memory as CUDA's __nv_bfloat16 does.
struct bfloat16 // NOLINT(readability-identifier-naming): a type of numbers, like float
{
    std::uint16_t bits;

    bfloat16() = default;
    // To the nearest, ties to even; beyond the largest to infinity; a NaN stays one.
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
    friend bool operator==(const bfloat16&, const bfloat16&) = default; // of bits
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
// What operations on numbers of this type compute in, and what is never stored narrower: weight
// gradients, master weights, moments, statistics of norms and of attention, losses.
template<class Real>
using Wide = typename WideOf<Real>::Type;

// How many numbers of Real take the place of one wide one.
template<class Real>
constexpr std::size_t kPlacesOfWide = sizeof(Wide<Real>) / sizeof(Real);

// Wide numbers in which so many of Real fit.
template<class Real>
constexpr std::size_t inWide(std::size_t numbers)
{
    return (numbers + kPlacesOfWide<Real> - 1) / kPlacesOfWide<Real>;
}

// So many numbers of Real, rounded up to fill the places of wide ones.
template<class Real>
constexpr std::size_t wholePlaces(std::size_t numbers)
{
    return inWide<Real>(numbers) * kPlacesOfWide<Real>;
}

} // namespace engine
