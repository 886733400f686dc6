#pragma once

#include "engine/cost/op_prices.h"
#include "engine/timeline/timeline.h"

namespace engine::sim {

// Two sources of an op's cost: one value per op, or the price list. With the price list the
// schedule has no transfers; the placer derives transfers from the data flow.
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

// The jitter of TimingRules. It depends on the fields of an op and not on its position, so that
// passes that add ops do not change it.
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

    std::int64_t m_parts = 0; // largest change of a duration, in millionths
    std::uint64_t m_seed = 0;
};

// The end of `work` if it is `slowDown` times slower during `windows` (sorted, disjoint).
std::int64_t stretched(Window work, Fraction slowDown, const std::vector<Window>& windows);

} // namespace engine::sim
