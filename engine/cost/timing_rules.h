#pragma once

#include "engine/cost/fraction.h"

namespace engine {

// Effects that ops have on one another, in addition to their own durations.
struct TimingRules
{
    bool blockingSend = false; // a SEND occupies compute until it is complete
    bool blockingAllReduce
        = false;          // an ALLREDUCE occupies compute until it is complete (SyncPolicy)
    Fraction joint{1};    // duration of joint ops relative to the sum of both
    Fraction slowDown{1}; // slow-down factor of compute during an all-reduce of its device
    // Every duration is multiplied by a factor that is uniform in [1 - jitter, 1 + jitter] and
    // depends only on op, iteration and seed.
    Fraction jitter{0};
    std::uint64_t seed = 0;

    friend bool operator==(const TimingRules&, const TimingRules&) = default;
};

} // namespace engine
