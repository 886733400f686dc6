#include "engine/cost/cost_model.h"

#include <cmath>

namespace engine {

std::int64_t LinkCost::busy(Bytes bytes) const
{
    constexpr double kNanosecondsPerSecond = 1e9;
    if (bytesPerSecond <= 0)
        return 0;
    return std::llround(std::ceil(bytes / bytesPerSecond * kNanosecondsPerSecond));
}

} // namespace engine
