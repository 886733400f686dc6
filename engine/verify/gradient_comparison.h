#pragma once

#include "engine/verify/verify_gradients.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace engine {

// Compares the gradient of one stage bit by bit and adds the result to `check`.
inline void compareGradients(std::span<const float> expected, std::span<const float> actual,
                             GradientCheck& check)
{
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double e = expected[i];
        const double d = static_cast<double>(actual[i]) - e;
        check.different += bits(expected[i]) != bits(actual[i]) ? 1 : 0;
        difference += d * d;
        norm += e * e;
    }
    check.compared += expected.size();
    const double error = norm > 0 ? std::sqrt(difference / norm) : difference;
    if (!(error <= check.largestError)) // also if `error` is NaN
        check.largestError = std::isnan(error) ? INFINITY : error;
}

} // namespace engine
