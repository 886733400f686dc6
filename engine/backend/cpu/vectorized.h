#pragma once

#include "engine/base/attributes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace engine::cpu {

// An exp() that compilers can vectorize: 2^n times a polynomial (Cephes, expf). Its relative error
// is below 2e-7 within [-87, 88]; arguments outside are clamped.
BS_INLINE float exponential(float x)
{
    constexpr float kLog2e = 1.44269504F, kRound = 12582912.0F; // 1.5 * 2^23: rounds to nearest
    const float bounded = std::min(std::max(x, -87.0F), 88.0F);
    const float n = (bounded * kLog2e + kRound) - kRound;
    const float r = bounded - n * 0.693359375F + n * 2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    const float mantissa = p * r * r + r + 1.0F;
    const auto exponent = static_cast<std::uint32_t>(static_cast<std::int32_t>(n) + 127) << 23U;
    return mantissa * std::bit_cast<float>(exponent);
}

BS_INLINE double exponential(double x)
{
    return std::exp(x);
}

template<class Real>
BS_INLINE Real hyperbolicTangent(Real x)
{
    return Real(1) - Real(2) / (exponential(Real(2) * x) + Real(1));
}

} // namespace engine::cpu
