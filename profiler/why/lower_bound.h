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
    engine::DeviceId device; // the device of `work` or, for Memory, of `memory`
    std::int64_t work = 0;   // compute of the busiest device
    // The longest chain of dependencies: each message as fast as the fastest of its link.
    std::int64_t chain = 0;
    // The sum over all activations of the least time from F to B, divided by the peak of the run. 0
    // if stashes move, are rebuilt or are unknown.
    std::int64_t memory = 0;
    double stashes = 0; // the peak of the device of `memory`, in M_a
};

LowerBound lowerBound(const engine::Run& run, const IterationTimes& times);

} // namespace profiler
