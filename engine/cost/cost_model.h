#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/cost/fraction.h"
#include "engine/cost/timing_rules.h"
#include "engine/schedule/schedule.h"

#include <string>
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
    Fraction recompute{1};               // of the forward's cost
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

// One unit is an integer number of ticks: the least common multiple of v, slices, 2 and the
// denominators. An error when that or the sum of all durations would overflow.
Result<OpCosts> unitOpCosts(const Schedule& lowered, const UnitCosts& costs);

// Time of a message of `bytes`: latency + bytes / bandwidth (the alpha-beta model).
struct LinkCost
{
    Nanoseconds latency{};
    double bytesPerSecond = 0; // 0: free

    std::int64_t busy(Bytes bytes) const; // nanoseconds
    friend bool operator==(const LinkCost&, const LinkCost&) = default;
};

} // namespace engine
