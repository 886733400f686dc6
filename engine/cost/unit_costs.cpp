#include "engine/base/try.h"
#include "engine/cost/op_prices.h"
#include "engine/cost/shared_links.h"
#include "engine/schedule/transfers.h"

#include <limits>
#include <numeric>
#include <optional>

namespace engine {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t kFineTicks = 1'000'000; // ticks per unit if rules make durations fractional

using Link = OpPrices::Link;
using Part = OpPrices::Part;

struct Share
{
    Fraction duration, latency;
};
using Shares = OpPrices::Table<Share>;

// The cost of an op over all v chunks of a device. One chunk costs 1/v, except for messages.
std::optional<Fraction> priceOf(OpKind kind, const UnitCosts& costs, Link link)
{
    const bool across = link == Link::AcrossNodes;
    switch (kind) {
    case OpKind::Forward:
        return costs.forward;
    case OpKind::Backward:
        return costs.backward;
    case OpKind::BackwardInput:
        return costs.inputGradient;
    case OpKind::BackwardWeight:
        return costs.weightGradient;
    case OpKind::SendActivation:
    case OpKind::SendGradient:
        return across ? costs.p2pAcross.value_or(costs.p2p) : costs.p2p;
    case OpKind::AllReduce:
    case OpKind::Unshard: // an all-gather takes as long as the reduce-scatter of the gradients
        return across ? costs.allReduceAcross.value_or(costs.allReduce) : costs.allReduce;
    case OpKind::OptimizerStep:
        return costs.optimizer;
    case OpKind::Evict:
    case OpKind::Load:
        return across ? costs.transferAcross.value_or(costs.transfer) : costs.transfer;
    case OpKind::Recompute:
        return product(costs.forward, costs.recompute.value_or(Fraction{1}));
    default: // RECV: the SEND determines the time
        return Fraction{};
    }
}

std::optional<Share> shareOf(OpKind kind, const Shape& shape, const UnitCosts& costs, Part part,
                             Link link)
{
    const int chunks = isSend(kind) ? 1 : shape.chunks();
    const int parts = part == Part::Slice ? shape.slices : 1;
    const auto price = priceOf(kind, costs, link);
    const auto share
        = price ? product(*price, Fraction{1, std::int64_t{chunks} * parts}) : std::nullopt;
    if (!share)
        return std::nullopt;
    const Fraction latency
        = link == Link::AcrossNodes ? costs.latencyAcross.value_or(costs.latency) : costs.latency;
    return Share{*share, isSend(kind) ? latency : Fraction{}};
}

std::optional<Shares> sharesOf(const Shape& shape, const UnitCosts& costs)
{
    Shares shares;
    for (const OpKind kind : Shares::enumerators())
        for (const Part part : {Part::Whole, Part::Slice})
            for (const Link link : Ids<Link>(kLinkTiers)) {
                const auto share = shareOf(kind, shape, costs, part, link);
                if (!share)
                    return std::nullopt;
                shares[kind][part][link] = *share;
            }
    return shares;
}

std::optional<UnitCosts> costsOfStage(const UnitCosts& costs, const UnitCosts::Stage& own)
{
    UnitCosts result = costs;
    result.forward = own.forward;
    result.backward = own.backward;
    const auto part = [&](Fraction of) {
        if (costs.backward.numerator == 0)
            return product(own.backward, Fraction{1, 2});
        const auto scaled = product(own.backward, of);
        return scaled ? product(*scaled, inverse(costs.backward)) : std::nullopt;
    };
    const auto input = part(costs.inputGradient), weight = part(costs.weightGradient);
    if (!input || !weight)
        return std::nullopt;
    result.inputGradient = *input;
    result.weightGradient = *weight;
    return result;
}

class Ticks
{
public:
    bool include(std::int64_t denominator)
    {
        return !__builtin_mul_overflow(m_ticks / std::gcd(m_ticks, denominator), denominator,
                                       &m_ticks)
            && m_ticks <= kLargest;
    }
    bool include(const Shares& shares, Fraction joint)
    {
        for (const auto& ofKind : shares)
            for (const auto& ofPart : ofKind)
                for (const Share& share : ofPart) {
                    const auto together = product(share.duration, joint);
                    if (!together || !include(together->denominator)
                        || !include(share.duration.denominator)
                        || !include(share.latency.denominator))
                        return false;
                }
        return true;
    }
    bool refine(std::int64_t atLeast)
    {
        return m_ticks >= atLeast || include(m_ticks * ((atLeast + m_ticks - 1) / m_ticks));
    }
    std::int64_t perUnit() const { return m_ticks; }
    std::optional<std::int64_t> of(Fraction units) const
    {
        std::int64_t ticks = 0;
        if (__builtin_mul_overflow(units.numerator, m_ticks / units.denominator, &ticks)
            || ticks > kLargest)
            return std::nullopt;
        return ticks;
    }

private:
    std::int64_t m_ticks = 2;
};

bool setStage(const Shares& shares, const Ticks& ticks, StageId stage, OpPrices& prices)
{
    const LinkTier tier
        = prices.mapping.isOneNode() ? LinkTier::InNode : prices.mapping.group(stage).tier;
    for (const OpKind kind : Shares::enumerators())
        for (const Part part : {Part::Whole, Part::Slice})
            for (const Link link : Ids<Link>(kLinkTiers)) {
                const bool isOfGroup = kind == OpKind::AllReduce || kind == OpKind::Unshard;
                const Share& share = shares[kind][part][isOfGroup ? tier : link];
                const auto duration = ticks.of(share.duration), latency = ticks.of(share.latency);
                if (!duration || !latency)
                    return false;
                prices.set(kind, stage, part, link, {*duration, *latency});
            }
    return true;
}

// Costs by stage. Stages without an entry in UnitCosts::stages share `common`.
struct StageShares
{
    Shares common;
    std::vector<std::pair<int, Shares>> own; // in the order of UnitCosts::stages
};

std::optional<StageShares> stageSharesOf(const Shape& shape, const UnitCosts& costs)
{
    const auto common = sharesOf(shape, costs);
    if (!common)
        return std::nullopt;
    StageShares result{*common, {}};
    for (const UnitCosts::Stage& own : costs.stages) {
        const auto ofStage = costsOfStage(costs, own);
        const auto shares = ofStage ? sharesOf(shape, *ofStage) : std::nullopt;
        if (!shares)
            return std::nullopt;
        result.own.emplace_back(own.stage, *shares);
    }
    return result;
}

std::optional<Ticks> ticksOf(const Shape& shape, const StageShares& shares, const UnitCosts& costs)
{
    const TimingRules& rules = costs.rules;
    Ticks ticks;
    if (!ticks.include(shape.chunks()) || !ticks.include(shape.slices)
        || !ticks.include(shares.common, rules.joint))
        return std::nullopt;
    for (const auto& [stage, own] : shares.own)
        if (!ticks.include(own, rules.joint))
            return std::nullopt;
    const bool even
        = rules.jitter == Fraction{0} && rules.slowDown == Fraction{1} && costs.nicsPerNode == 0;
    if (!even && !ticks.refine(kFineTicks))
        return std::nullopt;
    return ticks;
}

} // namespace

tl::unexpected<Error> costsTooLarge()
{
    return invalid("the costs are too large or have too many decimals to be added exactly; use "
                   "rounder numbers");
}

Result<OpPrices> unitPrices(const Shape& shape, const UnitCosts& costs, Mapping mapping)
{
    for (const UnitCosts::Stage& own : costs.stages)
        if (own.stage < 0 || own.stage >= shape.stages)
            return invalid("--stage-cost names stage {}, which does not exist; use 0 to {}",
                           own.stage, shape.stages - 1);
    const auto shares = stageSharesOf(shape, costs);
    const auto ticks = shares ? ticksOf(shape, *shares, costs) : std::nullopt;
    if (!ticks)
        return costsTooLarge();

    OpPrices prices(shape);
    prices.ticksPerUnit = ticks->perUnit();
    if (costs.nicsPerNode > 0 && !mapping.isOneNode())
        prices.links = std::make_shared<SharedLinks>(
            mapping, LinkSharing{1, costs.devicesPerNode, costs.nicsPerNode});
    prices.mapping = std::move(mapping);
    prices.rules = costs.rules;
    for (int stage = 0; stage < shape.stages; ++stage)
        if (!setStage(shares->common, *ticks, StageId{stage}, prices))
            return costsTooLarge();
    for (const auto& [stage, own] : shares->own)
        if (!setStage(own, *ticks, StageId{stage}, prices))
            return costsTooLarge();
    return prices;
}

Result<OpPrices> unitPrices(const Schedule& schedule, const UnitCosts& costs)
{
    auto mapping = TRY(Mapping::of(schedule, kDefaultMapping, {costs.devicesPerNode}));
    return unitPrices(schedule.shape, costs, std::move(mapping));
}

Result<OpCosts> unitOpCosts(const Schedule& lowered, const UnitCosts& costs)
{
    const auto prices = TRY(unitPrices(lowered, costs));
    return resolved(lowered, prices);
}

} // namespace engine
