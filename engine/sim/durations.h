#pragma once

#include "engine/cost/op_prices.h"
#include "engine/timeline/timeline.h"

namespace engine::sim {

// Where the placer has an op's cost from: one stored for each op, or the price list. With the list
// a schedule has no transfers of its own; they follow from the data flow.
struct StoredCosts
{
    static constexpr bool kImpliesTransfers = false;
    const OpCosts& costs;

    const OpCosts::Cost& of(DeviceId device, std::size_t position, const Op&) const
    {
        return costs.of[static_cast<std::size_t>(device.value)][position];
    }
    bool linksAreBusy() const { return true; }
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
};

// The jitter of TimingRules: a duration by what the op is, never by where it stands, so that it
// does not change when a pass adds ops.
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

    std::int64_t m_parts = 0; // of a million
    std::uint64_t m_seed = 0;
};

// When `work` that starts at `start` ends, if beside one of `windows` (sorted, apart) it takes
// `slowDown` times as long.
std::int64_t stretched(Window work, Fraction slowDown, const std::vector<Window>& windows);

} // namespace engine::sim
