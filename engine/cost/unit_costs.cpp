#include "engine/cost/cost_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

namespace engine {
namespace {

// 128 bits: whatever two 64-bit numbers multiply to fits.
__extension__ using Wide = __int128;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max() / 4;

// What an op of this kind costs, before it is divided among chunks and slices.
struct Price
{
    Fraction cost, latency;
    bool perChunk = false; // a message is as long whatever the chunk
    Fraction factor{1};
};

Price priceOf(OpKind kind, const UnitCosts& costs)
{
    switch (kind) {
    case OpKind::Forward:
        return {costs.forward, {}, true};
    case OpKind::Backward:
        return {costs.backward, {}, true};
    case OpKind::BackwardInput:
        return {costs.inputGradient, {}, true};
    case OpKind::BackwardWeight:
        return {costs.weightGradient, {}, true};
    case OpKind::SendActivation:
    case OpKind::SendGradient:
        return {costs.p2p, costs.latency, false};
    case OpKind::AllReduce:
        return {costs.allReduce, {}, true};
    case OpKind::OptimizerStep:
        return {costs.optimizer, {}, true};
    case OpKind::Evict:
    case OpKind::Load:
        return {costs.transfer, {}, true};
    case OpKind::Recompute:
        return {costs.forward, {}, true, costs.recompute};
    default: // a receive is timed by its send
        return {};
    }
}

struct Share
{
    Fraction duration, latency;
};

// [kind][whole, slice]: all that the durations depend on.
using Shares = std::array<std::array<Share, 2>, kOpKinds>;

std::optional<Shares> sharesOf(const Shape& shape, const UnitCosts& costs)
{
    Shares shares;
    for (std::size_t kind = 0; kind < shares.size(); ++kind)
        for (std::size_t sliced = 0; sliced < 2; ++sliced) {
            const Price price = priceOf(static_cast<OpKind>(kind), costs);
            const std::int64_t parts
                = std::int64_t{price.perChunk ? std::max(1, shape.chunks()) : 1}
                * (sliced == 1 ? shape.slices : 1);
            const auto cost = product(price.cost, price.factor);
            const auto share = cost ? product(*cost, Fraction{1, parts}) : std::nullopt;
            if (!share || share->denominator > kLargest)
                return std::nullopt;
            shares[kind][sliced] = {*share, price.latency};
        }
    return shares;
}

// Least common multiple of 2 and all denominators.
std::optional<std::int64_t> ticksPerUnit(const Shape& shape, const Shares& shares)
{
    std::int64_t ticks = 2;
    const auto include = [&ticks](std::int64_t denominator) {
        const Wide multiple = Wide{ticks / std::gcd(ticks, denominator)} * denominator;
        if (multiple > kLargest)
            return false;
        ticks = static_cast<std::int64_t>(multiple);
        return true;
    };
    if (!include(std::max(1, shape.chunks())) || !include(shape.slices))
        return std::nullopt;
    for (const auto& ofKind : shares)
        for (const Share& share : ofKind)
            if (!include(share.duration.denominator) || !include(share.latency.denominator))
                return std::nullopt;
    return ticks;
}

std::optional<std::int64_t> inTicks(const Fraction& units, std::int64_t ticks)
{
    const Wide product = Wide{units.numerator} * (ticks / units.denominator);
    if (product > kLargest)
        return std::nullopt;
    return static_cast<std::int64_t>(product);
}

// [kind][whole, slice] in ticks.
using Prices = std::array<std::array<OpCosts::Cost, 2>, kOpKinds>;

std::optional<Prices> pricesOf(const Shares& shares, std::int64_t ticks)
{
    Prices prices;
    for (std::size_t kind = 0; kind < prices.size(); ++kind)
        for (std::size_t sliced = 0; sliced < 2; ++sliced) {
            const auto duration = inTicks(shares[kind][sliced].duration, ticks);
            const auto latency = inTicks(shares[kind][sliced].latency, ticks);
            if (!duration || !latency)
                return std::nullopt;
            prices[kind][sliced] = {*duration, *latency};
        }
    return prices;
}

auto tooLarge()
{
    return fail(Error::Code::InvalidArgument,
                "the costs are too large or too finely divided to add up exactly; take rounder "
                "numbers");
}

} // namespace

Result<OpCosts> unitOpCosts(const Schedule& lowered, const UnitCosts& costs)
{
    const auto shares = sharesOf(lowered.shape, costs);
    const auto ticks = shares ? ticksPerUnit(lowered.shape, *shares) : std::nullopt;
    const auto prices = ticks ? pricesOf(*shares, *ticks) : std::nullopt;
    if (!prices)
        return tooLarge();

    OpCosts result;
    result.ticksPerUnit = *ticks;
    result.of.reserve(lowered.program.size());
    Wide total = 0;
    for (const auto& ops : lowered.program) {
        auto& ofDevice = result.of.emplace_back();
        ofDevice.reserve(ops.size());
        for (const Op& op : ops) {
            const std::size_t sliced = op.slice == Op::kWhole ? 0 : 1;
            const auto& cost = prices->at(static_cast<std::size_t>(op.kind))[sliced];
            total += Wide{cost.duration} + cost.latency;
            ofDevice.push_back(cost);
        }
    }
    if (total > kLargest)
        return tooLarge();
    return result;
}

} // namespace engine
