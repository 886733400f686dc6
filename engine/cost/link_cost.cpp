#include "engine/cost/cost_model.h"
#include "engine/cost/tick_limit.h"

#include <cmath>

namespace engine {

std::int64_t LinkCost::busy(Bytes bytes) const
{
    constexpr double kNanosecondsPerSecond = 1e9;
    if (bytesPerSecond <= 0)
        return 0;
    return roundedTicks(std::ceil(bytes / bytesPerSecond * kNanosecondsPerSecond));
}

} // namespace engine
