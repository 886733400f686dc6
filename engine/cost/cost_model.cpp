#include "engine/cost/cost_model.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

constexpr double kMostTicks = 0x1p61;

// The largest factor by which the rules multiply a duration.
double growth(const TimingRules& rules)
{
    return std::max(1.0, rules.joint.value()) * rules.slowDown.value() * (1 + rules.jitter.value());
}

} // namespace

Result<void> checkTicks(double ticks, const TimingRules& rules)
{
    if (ticks * growth(rules) > kMostTicks)
        return costsTooLarge();
    return {};
}

Result<void> checkTicks(const OpCosts& costs, std::int64_t start)
{
    auto ticks = static_cast<double>(start) / growth(costs.rules); // the rules apply to later ops
    for (const auto& ofDevice : costs.of)
        for (const OpCosts::Cost& cost : ofDevice)
            ticks += static_cast<double>(cost.duration) + static_cast<double>(cost.latency);
    return checkTicks(ticks, costs.rules);
}

std::int64_t roundedTicks(double ticks)
{
    constexpr double kSaturated = 1.5 * kMostTicks;
    return std::llround(std::min(kSaturated, ticks)); // kSaturated for a NaN
}

std::int64_t LinkCost::busy(Bytes bytes) const
{
    constexpr double kNanosecondsPerSecond = 1e9;
    if (bytesPerSecond <= 0)
        return 0;
    return roundedTicks(std::ceil(bytes / bytesPerSecond * kNanosecondsPerSecond));
}

} // namespace engine
