#pragma once

#include "engine/exec/verify_gradients.h"

#include <cmath>
#include <cstring>
#include <span>

namespace engine {

// Adds one stage's gradient to the check, bit by bit.
inline void compareGradients(std::span<const float> expected, std::span<const float> actual,
                             GradientCheck& check)
{
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double e = static_cast<double>(expected[i]);
        const double d = static_cast<double>(actual[i]) - e;
        check.different += std::memcmp(&expected[i], &actual[i], sizeof(float)) != 0 ? 1 : 0;
        difference += d * d;
        norm += e * e;
    }
    check.compared += expected.size();
    check.largestError
        = std::max(check.largestError, norm > 0 ? std::sqrt(difference / norm) : difference);
}

} // namespace engine
