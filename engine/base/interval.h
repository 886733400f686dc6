#pragma once

#include <cstdint>

namespace engine {

// An interval of a statistic, in the unit of the statistic; least <= most.
struct Interval
{
    std::int64_t least = 0, most = 0;

    bool overlaps(Interval other) const { return least <= other.most && other.least <= most; }
    friend bool operator==(Interval, Interval) = default;
};

} // namespace engine
