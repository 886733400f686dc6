#pragma once

#include "engine/cost/op_prices.h"
#include "engine/timeline/timeline.h"

namespace engine::sim {

// The two sources of op costs: a stored cost per op, or OpPrices. With OpPrices the schedule has no
// SEND and RECV; the placer derives the transfers from the data flow.
struct StoredCosts
{
    static constexpr bool kImpliesTransfers = false;
    const OpCosts& costs;

    const OpCosts::Cost& of(DeviceId device, std::size_t position, const Op&) const
    {
        return costs.of[device][position];
    }
    bool linksAreBusy() const { return true; }
    const SharedLinks* sharedLinks() const { return costs.links.get(); }
};
struct ListedCosts
{
    static constexpr bool kImpliesTransfers = true;
    const OpPrices& prices;
    bool busyLinks = true;

    const OpCosts::Cost& of(DeviceId device, std::size_t, const Op& op) const
    {
        return prices.of(op, device);
    }
    bool linksAreBusy() const { return busyLinks; }
    const SharedLinks* sharedLinks() const { return busyLinks ? prices.links.get() : nullptr; }
};

// The jitter of TimingRules. It depends on the fields of an op and not on its position, so adding
// ops to a schedule does not change the jitter of the other ops.
class Jitter
{
public:
    Jitter(const TimingRules& rules, std::uint64_t iteration);
    std::int64_t operator()(std::int64_t duration, const Op& op) const
    {
        return m_parts == 0 ? duration : drawn(duration, op);
    }

private:
    std::int64_t drawn(std::int64_t duration, const Op& op) const;

    std::int64_t m_parts = 0; // largest relative change of a duration, in millionths
    std::uint64_t m_seed = 0;
};

std::int64_t scaled(std::int64_t ticks, Fraction by); // rounded down

// Returns the end of `work` if it runs `slowDown` times slower during `windows` (sorted, disjoint).
std::int64_t stretched(Window work, Fraction slowDown, const std::vector<Window>& windows);

} // namespace engine::sim
