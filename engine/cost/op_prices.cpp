#include "engine/cost/op_prices.h"

#include "engine/base/try.h"

#include <algorithm>

namespace engine {
namespace {

bool takesNoTime(const OpCosts::Cost& cost)
{
    return cost.duration == 0 && cost.latency == 0;
}

constexpr bool isCommunication(OpKind kind)
{
    return kind == OpKind::SendActivation || kind == OpKind::SendGradient || kind == OpKind::Evict
        || kind == OpKind::Load || kind == OpKind::AllReduce || kind == OpKind::Unshard;
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

void OpPrices::halve(OpKind kind)
{
    for (auto& ofStage : m_costs)
        for (auto& ofPart : ofStage[kind])
            for (Cost& cost : ofPart)
                cost.duration /= 2;
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
    for (const Cost& cost : m_tied)
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
    TRY(checkTicks(costs));
    return costs;
}

} // namespace engine
