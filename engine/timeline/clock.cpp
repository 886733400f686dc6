#include "engine/timeline/clock.h"

#include <limits>

namespace engine {

std::int64_t nanosecondsOf(const RunInfo& info, std::int64_t ticks)
{
    if (!info.inUnits())
        return ticks;
    constexpr std::int64_t kSecond = 1'000'000'000;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t units = ticks / info.ticksPerUnit;
    if (units >= kMost / kSecond)
        return kMost;
    if (units <= -(kMost / kSecond))
        return -kMost;
    // `rest` is less than a second, so a double is precise enough to round it to nanoseconds.
    const double rest = ticks % info.ticksPerUnit;
    const double share = rest / info.ticksPerUnit;
    return units * kSecond + static_cast<std::int64_t>(share * kSecond + (share < 0 ? -0.5 : 0.5));
}

} // namespace engine
