#include "engine/cost/op_prices.h"

#include <algorithm>
#include <limits>

namespace engine {
namespace {

constexpr double kMostTicks = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 4;

bool takesNoTime(const OpCosts::Cost& cost)
{
    return cost.duration == 0 && cost.latency == 0;
}

constexpr bool isCommunication(OpKind kind)
{
    return kind == OpKind::SendActivation || kind == OpKind::SendGradient || kind == OpKind::Evict
        || kind == OpKind::Load || kind == OpKind::AllReduce;
}

} // namespace

OpPrices::OpPrices(const Shape& shape)
    : m_costs(static_cast<std::size_t>(shape.stages) * kOpKinds * 4)
{ }

bool OpPrices::isFree(OpKind kind) const
{
    for (std::size_t i = static_cast<std::size_t>(kind) * 4; i < m_costs.size();
         i += std::size_t{kOpKinds} * 4)
        if (!std::all_of(m_costs.begin() + static_cast<std::ptrdiff_t>(i),
                         m_costs.begin() + static_cast<std::ptrdiff_t>(i) + 4, takesNoTime))
            return false;
    return true;
}

bool OpPrices::isCommunicationFree() const
{
    for (std::size_t i = 0; i < m_costs.size(); ++i)
        if (isCommunication(static_cast<OpKind>(i / 4 % kOpKinds)) && !takesNoTime(m_costs[i]))
            return false;
    return true;
}

double OpPrices::most(double ops) const
{
    double largest = 0;
    for (const Cost& cost : m_costs)
        largest = std::max(largest, static_cast<double>(cost.duration + cost.latency));
    return ops * largest;
}

Result<OpCosts> resolved(const Schedule& lowered, const OpPrices& prices)
{
    OpCosts costs;
    costs.ticksPerUnit = prices.ticksPerUnit;
    costs.rules = prices.rules;
    costs.of.reserve(lowered.program.size());
    double total = 0;
    for (std::size_t d = 0; d < lowered.program.size(); ++d) {
        auto& ofDevice = costs.of.emplace_back();
        ofDevice.reserve(lowered.program[d].size());
        for (const Op& op : lowered.program[d]) {
            ofDevice.push_back(prices.of(op, DeviceId{static_cast<std::int32_t>(d)}));
            total += static_cast<double>(ofDevice.back().duration + ofDevice.back().latency);
        }
    }
    if (total > kMostTicks)
        return costsTooLarge();
    return costs;
}

} // namespace engine
