#pragma once

#include "engine/base/median.h"

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace engine {

// An interval of a statistic, in the unit of the statistic; least <= most.
struct Interval
{
    std::int64_t least = 0, most = 0;

    bool overlaps(Interval other) const { return least <= other.most && other.least <= most; }
    friend bool operator==(Interval, Interval) = default;
};

// The 95 % interval of a statistic of `count` measurements, by bootstrap (Efron, 1979): percentiles
// of the statistic of 40 or more samples of `count` measurements, drawn with replacement. Calls
// statistic(indices) for every sample; equal arguments give equal results. nullopt with fewer than
// three measurements.
template<class Statistic>
std::optional<Interval> bootstrapInterval(std::size_t count, std::size_t samples,
                                          Statistic statistic)
{
    constexpr std::size_t kFewest = 3, kOutside = 40; // 1/40 is left out at each end
    if (count < kFewest)
        return std::nullopt;
    std::mt19937 random(1);
    std::uniform_int_distribution<std::size_t> any(0, count - 1);
    std::vector<std::size_t> drawn(count);
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < std::max(samples, kOutside); ++i) {
        for (std::size_t& index : drawn)
            index = any(random);
        values.push_back(statistic(std::span<const std::size_t>(drawn)));
    }
    std::ranges::sort(values);
    const std::size_t outside = values.size() / kOutside;
    return Interval{values[outside], values[values.size() - 1 - outside]};
}

} // namespace engine
