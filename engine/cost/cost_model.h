#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/cost/fraction.h"
#include "engine/cost/timing_rules.h"
#include "engine/schedule/schedule.h"

#include <optional>
#include <vector>

namespace engine {

// Costs in cost units, for all work of a device on one micro-batch. With v chunks per device, an op
// costs 1/v of that; an op of one slice costs 1/slices. Backward defaults to I + W; I and W default
// to half of backward.
struct UnitCosts
{
    Fraction forward{1}, backward{2}, inputGradient{1}, weightGradient{1};
    Fraction p2p{0}, latency{0}; // a message occupies its link for p2p and arrives latency later
    // For all stages of a device; each of its v stages costs 1/v.
    Fraction allReduce{0}, optimizer{0};
    Fraction transfer{0};              // evict or load of a device's stash for one micro-batch
    std::optional<Fraction> recompute; // duration relative to the forward; nullopt: 1

    // Devices 0 .. devicesPerNode-1 are the first node, and so on; 0: one node. The following costs
    // apply to transfers between nodes; unset ones are as within a node.
    int devicesPerNode = 0;
    std::optional<Fraction> p2pAcross, latencyAcross, transferAcross;

    // Costs of one stage (embedding, head) in cost units; I and W follow from B as above. If
    // `stages` names a stage more than once, the last one applies.
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
    // [device][index of the op]; unused for a RECV, whose time follows from its SEND.
    IdVector<DeviceId, std::vector<Cost>> of;
    std::int64_t ticksPerUnit = 1; // 1: ticks are nanoseconds
    TimingRules rules;
};

// Returns the cost of every op according to unitPrices() (op_prices.h).
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
