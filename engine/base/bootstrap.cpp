#include "engine/base/bootstrap.h"

#include "engine/base/median.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace engine {

double studentQuantile(double degreesOfFreedom)
{
    const double n = degreesOfFreedom;
    return 1.960 + 2.372 / n + 2.823 / (n * n) + 2.556 / (n * n * n);
}

Interval middle95(std::vector<std::int64_t> values)
{
    std::ranges::sort(values);
    const std::size_t outside = values.size() / 40;
    return {values[outside], values[values.size() - 1 - outside]};
}

std::optional<Interval> medianInterval(const std::vector<std::int64_t>& values)
{
    constexpr int kSamples = 1000;
    constexpr std::size_t kFewest = 3;
    if (values.size() < kFewest)
        return std::nullopt;
    std::mt19937 random(1);
    std::uniform_int_distribution<std::size_t> any(0, values.size() - 1);
    std::vector<std::int64_t> drawn = values, medians;
    const std::int64_t median = medianOf(drawn);
    for (int i = 0; i < kSamples; ++i) {
        std::ranges::generate(drawn, [&] { return values[any(random)]; });
        medians.push_back(medianOf(drawn));
    }
    const Interval middle = middle95(std::move(medians));
    const double count = values.size();
    const double factor
        = studentQuantile(count - 1) / studentQuantile(1e9) * std::sqrt(count / (count - 2));
    const auto widened = [&](std::int64_t end) -> std::int64_t {
        return median + std::llround(factor * static_cast<double>(end - median));
    };
    const std::int64_t lowest = std::min<std::int64_t>(0, std::ranges::min(values));
    return Interval{std::max(lowest, widened(middle.least)), widened(middle.most)};
}

double slopeOf(std::span<const double> x, std::span<const double> y)
{
    const auto count = static_cast<double>(x.size());
    const double meanX = std::accumulate(x.begin(), x.end(), 0.0) / count,
                 meanY = std::accumulate(y.begin(), y.end(), 0.0) / count;
    double products = 0, squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        products += (x[i] - meanX) * (y[i] - meanY);
        squares += (x[i] - meanX) * (x[i] - meanX);
    }
    return squares > 0 ? products / squares : 0;
}

} // namespace engine
