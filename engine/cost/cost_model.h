#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/cost/fraction.h"
#include "engine/cost/timing_rules.h"
#include "engine/schedule/schedule.h"

#include <optional>
#include <vector>

namespace engine {

// Costs in units: one unit is the work of one device for one micro-batch, so a chunk's op costs 1/v
// of it and a slice's 1/slices. Backward defaults to I + W; I and W to half of backward.
struct UnitCosts
{
    Fraction forward{1}, backward{2}, inputGradient{1}, weightGradient{1};
    Fraction p2p{0}, latency{0}; // a message keeps its link busy for p2p and arrives latency later
    Fraction allReduce{0}, optimizer{0}; // per device: a stage's share is 1/v
    Fraction transfer{0};                // evict or load of a device's stash of one micro-batch
    std::optional<Fraction> recompute;   // of the forward's cost; none: 1

    // Devices 0 .. devicesPerNode-1 are one node, and so on; 0: all are. What goes across nodes
    // costs the same unless it is said.
    int devicesPerNode = 0;
    std::optional<Fraction> p2pAcross, latencyAcross, transferAcross;

    // A stage that differs (embedding, head), in the same units; I and W share its B as they share
    // the others'. The last one given counts.
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

// How long each op takes, resolved once, in the shape of the schedule: the simulator's input and
// the emulator's measurement. Times are ticks of the timeline.
struct OpCosts
{
    struct Cost
    {
        std::int64_t duration = 0; // of its lane
        std::int64_t latency = 0;  // SEND: arrives this much after the lane is free again
    };
    std::vector<std::vector<Cost>> of; // [device][index], RECV: unused, the SEND decides
    std::int64_t ticksPerUnit = 1;     // 1: nanoseconds
    TimingRules rules;
};

// unitPrices() (op_prices.h) looked up for every op.
Result<OpCosts> unitOpCosts(const Schedule& lowered, const UnitCosts& costs);
// "the costs are too large or too finely divided to add up exactly; ..."
tl::unexpected<Error> costsTooLarge();

// Time of a message of `bytes`: latency + bytes / bandwidth (the alpha-beta model).
struct LinkCost
{
    Nanoseconds latency{};
    double bytesPerSecond = 0; // 0: free

    std::int64_t busy(Bytes bytes) const; // nanoseconds
    friend bool operator==(const LinkCost&, const LinkCost&) = default;
};

} // namespace engine
