#pragma once

#include "engine/cost/fraction.h"

namespace engine {

// How ops hinder one another: what an op's own duration does not say.
struct TimingRules
{
    bool blockingSend = false;      // a SEND holds the compute lane until it has left
    bool blockingAllReduce = false; // an ALLREDUCE holds it until it is through (SyncPolicy)
    Fraction joint{1};              // ops that run as one take this much of their sum
    Fraction slowDown{1};           // compute beside an all-reduce of its device takes this much
    // Every duration is drawn from [1 - jitter, 1 + jitter] of itself, even, by op, iteration and
    // seed alone.
    Fraction jitter{0};
    std::uint64_t seed = 0;

    friend bool operator==(const TimingRules&, const TimingRules&) = default;
};

} // namespace engine
