#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

using Numbers = std::vector<double>;

// Numbers of no pattern in (-1, 1).
inline Numbers noise(std::size_t count, unsigned seed)
{
    Numbers numbers(count);
    std::uint32_t state = seed * 2654435761U + 1;
    for (double& x : numbers) {
        state = state * 1664525U + 1013904223U;
        x = static_cast<double>(state >> 8U) / (1 << 23) - 1;
    }
    return numbers;
}

inline double dot(const Numbers& a, const Numbers& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return sum;
}

// The largest error of `gradient` against central differences of `loss` over `x`, relative to the
// largest slope.
inline double error(Numbers& x, const Numbers& gradient, const std::function<double()>& loss)
{
    constexpr double kStep = 1e-5;
    double worst = 0, largest = 1e-12;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double kept = x[i];
        x[i] = kept + kStep;
        const double above = loss();
        x[i] = kept - kStep;
        const double slope = (above - loss()) / (2 * kStep);
        x[i] = kept;
        worst = std::max(worst, std::abs(slope - gradient[i]));
        largest = std::max(largest, std::abs(slope));
    }
    return worst / largest;
}
