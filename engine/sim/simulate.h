#pragma once

#include "engine/base/result.h"
#include "engine/cost/op_prices.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/iteration_summary.h"
#include "engine/timeline/timeline.h"

namespace engine {

struct SimulateOptions
{
    int iterations = 1; // consecutive, with a flush between them
    // summarize(): the share of an activation kept from F to the RECOMPUTE that rebuilds it.
    double recomputeKeeps = 0;
};

// Simulates a schedule; also places emulated iterations. Integer time, deterministic, O(ops).
// `lowered` must have its transfers, all-reduces and optimizer steps (passes.h: lower()). A
// device has a compute lane, a lane per directed link, an all-reduce lane, and a copy lane per
// direction. Ops of other lanes are issued when compute reaches them. A SEND starts when its
// link is free; its RECV span is the arrival. An F or LOAD that would exceed the stash capacity
// of its order (stashRoom()) waits for the oldest running EVICT, an EVICT that would exceed the
// capacity of the partner for the oldest LOAD. Zero-length spans are kept. Fails if the schedule
// deadlocks (validate() reports why).
Result<Timeline> simulate(const Schedule& lowered, const OpCosts& costs,
                          const SimulateOptions& options = {});

// Appends iterations placed with `costs` to `timeline`; emulation calls it once per iteration.
Result<void> placeIteration(const Schedule& lowered, const OpCosts& costs, Iteration iteration,
                            Timeline& timeline);

// As simulate(), but returns sums only. It stores about 9 bytes per op, so schedules of hundreds
// of millions of ops can be simulated. `order` may have all-reduces and optimizer steps;
// transfers follow from the data flow. [iteration]
Result<std::vector<IterationSummary>> summarize(const Schedule& order, const OpPrices& prices,
                                                const SimulateOptions& options = {});

} // namespace engine
