#pragma once

#include "profiler/whatif/iteration_times.h"

namespace profiler {

// The least time of an iteration with the recorded costs of its ops and this placement of stages,
// in any order. It is the largest of three bounds, none of which is above the recorded time.
struct LowerBound
{
    enum class Kind : std::uint8_t { Work, Chain, Memory };

    std::int64_t time = 0;
    Kind kind = Kind::Work;  // the bound that is the largest
    engine::DeviceId device; // the device of the larger one of `work` and `memory`
    std::int64_t work = 0;   // compute of the busiest device
    // The longest chain of dependencies, in which every message is as fast as the fastest one on
    // its link.
    std::int64_t chain = 0;
    // The bound from memory, for the device where it is largest. The device holds every stash at
    // least from its F to its B, and at most `stashes` of them at once. So an iteration takes at
    // least the sum of these times, divided by `stashes`. 0 if stashes are evicted, recomputed or
    // unknown.
    std::int64_t memory = 0;
    double stashes = 0; // the recorded peak stash of that device, in M_a
};

LowerBound lowerBound(const engine::Run& run, const IterationTimes& times);

} // namespace profiler
