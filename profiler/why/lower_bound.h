#pragma once

#include "profiler/whatif/iteration_times.h"

namespace profiler {

// A lower bound on the time of an iteration, whatever the order of its ops. It keeps the recorded
// costs of the ops and the placement of the stages. It is the largest of three bounds, none of
// which is above the recorded time.
struct LowerBound
{
    enum class Kind : std::uint8_t { Work, Chain, Memory };

    std::int64_t time = 0;
    Kind kind = Kind::Work;  // which of the three bounds is the largest
    engine::DeviceId device; // device of the larger of `work` and `memory`
    std::int64_t work = 0;   // compute of the busiest device
    // The longest chain of dependent ops and messages. Every message takes as long as the fastest
    // one on its link.
    std::int64_t chain = 0;
    // The bound from memory, for the device where it is largest. The device holds each stash at
    // least from its F to its B, and it holds at most `stashes` of them at once. So an iteration
    // takes at least the sum of these holding times, divided by `stashes`. It is 0 if stashes are
    // evicted, recomputed or unknown.
    std::int64_t memory = 0;
    double stashes = 0; // peak stash of the device of `memory` in its order of ops, in M_a
};

LowerBound lowerBound(const engine::Run& run, const IterationTimes& times);

} // namespace profiler
