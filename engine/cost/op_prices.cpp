#include "engine/cost/op_prices.h"

#include "engine/base/try.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

constexpr double kMostTicks = 0x1p61; // a quarter of the range of std::int64_t

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
    : m_costs(shape.stages)
{ }

bool OpPrices::isFree(OpKind kind) const
{
    for (const auto& ofStage : m_costs)
        for (const auto& ofPart : ofStage[kind])
            if (!std::ranges::all_of(ofPart, takesNoTime))
                return false;
    return true;
}

bool OpPrices::isCommunicationFree() const
{
    for (const OpKind kind : Ids<OpKind>(kOpKinds))
        if (isCommunication(kind) && !isFree(kind))
            return false;
    return true;
}

double OpPrices::most(double ops) const
{
    std::int64_t largest = 0;
    for (const auto& ofStage : m_costs)
        for (const auto& ofKind : ofStage)
            for (const auto& ofPart : ofKind)
                for (const Cost& cost : ofPart)
                    largest = std::max(largest, cost.duration + cost.latency);
    return ops * largest;
}

Result<OpCosts> resolved(const Schedule& lowered, const OpPrices& prices)
{
    OpCosts costs;
    costs.ticksPerUnit = prices.ticksPerUnit;
    costs.links = prices.links;
    costs.rules = prices.rules;
    costs.of.reserve(lowered.program.size());
    for (const DeviceId d : lowered.program.ids()) {
        auto& ofDevice = costs.of.emplace_back();
        ofDevice.reserve(lowered.program[d].size());
        for (const Op& op : lowered.program[d])
            ofDevice.push_back(prices.of(op, d));
    }
    TRY(checkSum(costs));
    return costs;
}

std::int64_t roundedTicks(double ticks)
{
    constexpr double kSaturated = 1.5 * kMostTicks;
    return std::llround(std::min(kSaturated, ticks)); // kSaturated for a NaN
}

Result<void> checkSum(const OpCosts& costs)
{
    double sum = 0;
    for (const auto& ofDevice : costs.of)
        for (const OpCosts::Cost& cost : ofDevice)
            sum += static_cast<double>(cost.duration) + static_cast<double>(cost.latency);
    if (sum > kMostTicks)
        return costsTooLarge();
    return {};
}

} // namespace engine
