#pragma once

#include "engine/cost/fraction.h"

namespace engine {

// Interference between ops, which their own durations do not include.
struct TimingRules
{
    bool blockingSend = false; // a SEND occupies compute until it is complete
    bool blockingAllReduce
        = false;          // an ALLREDUCE occupies compute until it is complete (SyncPolicy)
    Fraction joint{1};    // duration of joint ops relative to their sum
    Fraction slowDown{1}; // slow-down factor of compute during an all-reduce of its device
    // Every duration is drawn uniformly from [1 - jitter, 1 + jitter] of its value, determined
    // only by op, iteration and seed.
    Fraction jitter{0};
    std::uint64_t seed = 0;

    friend bool operator==(const TimingRules&, const TimingRules&) = default;
};

} // namespace engine
