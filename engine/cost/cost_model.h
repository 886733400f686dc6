#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/cost/fraction.h"
#include "engine/cost/timing_rules.h"
#include "engine/schedule/schedule.h"

#include <memory>
#include <optional>
#include <vector>

namespace engine {

class SharedLinks;

// Costs in cost units. Each cost covers all work of a device on one micro-batch. If a device has v
// chunks, an op of one chunk costs 1/v of it, except for messages. An op of one slice costs
// 1/slices of that. The fields (unit_cost_fields.h) keep `backward` equal to I + W: setting
// `backward` sets I and W to half of it.
struct UnitCosts
{
    Fraction forward{1}, backward{2}, inputGradient{1}, weightGradient{1};
    // A message occupies its link for `p2p` and arrives `latency` later.
    Fraction p2p{0}, latency{0};
    // For all v stages of a device together; one stage costs 1/v.
    Fraction allReduce{0}, optimizer{0};
    Fraction transfer{0};              // evict or load of a device's stash for one micro-batch
    std::optional<Fraction> recompute; // duration relative to the forward; nullopt: 1

    int devicesPerNode = 0; // 0: one node. Mapping assigns devices to nodes
    // Costs of transfers between nodes; nullopt: as within a node.
    std::optional<Fraction> p2pAcross, latencyAcross, transferAcross, allReduceAcross;
    int nicsPerNode = 0; // 0: transfers do not share links; otherwise see SharedLinks

    // Costs of one stage (embedding, head) in cost units. I and W divide `backward` in the same
    // ratio as for the other stages. If `stages` has several entries for a stage, the last one
    // applies.
    struct Stage
    {
        int stage = 0;
        Fraction forward{1}, backward{2};

        friend bool operator==(const Stage&, const Stage&) = default;
    };
    std::vector<Stage> stages;
    TimingRules rules;

    friend bool operator==(const UnitCosts&, const UnitCosts&) = default;
};

// The duration of every op of a schedule in ticks of the timeline. The simulator takes it as input;
// emulation measures it.
struct OpCosts
{
    struct Cost
    {
        std::int64_t duration = 0; // ticks that the op occupies its lane of the timeline
        // For a SEND: time from its end on the lane to the arrival of the message.
        std::int64_t latency = 0;
    };
    // [device][position in its program]. The entry of a RECV is not used, because the SEND
    // determines when the message arrives.
    IdVector<DeviceId, std::vector<Cost>> of;
    std::int64_t ticksPerUnit = 1;            // 1: nanoseconds
    std::shared_ptr<const SharedLinks> links; // null: transfers do not slow one another down
    TimingRules rules;
};

// Returns the cost of every op according to unitPrices() (op_prices.h), with the default
// mapping.
Result<OpCosts> unitOpCosts(const Schedule& lowered, const UnitCosts& costs);
// Returns the error for costs whose sum, in ticks, overflows.
tl::unexpected<Error> costsTooLarge();

// Time of a message of `bytes`: latency + bytes / bandwidth (the alpha-beta model).
struct LinkCost
{
    Nanoseconds latency{};
    double bytesPerSecond = 0; // 0: transfers take no time

    // Returns the time in nanoseconds for which the message occupies the link.
    std::int64_t busy(Bytes bytes) const;
    friend bool operator==(const LinkCost&, const LinkCost&) = default;
};

} // namespace engine
