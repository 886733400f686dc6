#pragma once

#include "engine/base/units.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace engine {

// The interval from the 2.5th to the 97.5th percentile. Requires at least one value.
inline Interval middle95(std::vector<std::int64_t> values)
{
    std::ranges::sort(values);
    const std::size_t outside = values.size() / 40;
    return {values[outside], values[values.size() - 1 - outside]};
}

// The 95 % interval of a statistic of `count` measurements, by bootstrap (Efron, 1979). Draws
// max(samples, 40) samples of `count` indices with replacement, calls statistic(indices) for each
// sample, and returns middle95() of the results. Equal arguments give equal intervals. Returns
// nullopt with fewer than three measurements.
template<class Statistic>
std::optional<Interval> bootstrapInterval(std::size_t count, std::size_t samples,
                                          Statistic statistic)
{
    constexpr std::size_t kFewest = 3, kFewestSamples = 40;
    if (count < kFewest)
        return std::nullopt;
    std::mt19937 random(1);
    std::uniform_int_distribution<std::size_t> any(0, count - 1);
    std::vector<std::size_t> drawn(count);
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < std::max(samples, kFewestSamples); ++i) {
        for (std::size_t& index : drawn)
            index = any(random);
        values.push_back(statistic(std::span<const std::size_t>(drawn)));
    }
    return middle95(std::move(values));
}

} // namespace engine
