#pragma once

#include "engine/base/result.h"
#include "engine/cost/op_prices.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/iteration_summary.h"
#include "engine/timeline/timeline.h"

namespace engine {

struct SimulateOptions
{
    int iterations = 1; // back to back, flushed in between
    // summarize(): share of an activation that stays from F to the RECOMPUTE that rebuilds it.
    double recomputeKeeps = 0;
};

// The one placer, for simulated and emulated runs: integer time, deterministic, O(ops). `lowered`
// has its transfers, all-reduces and optimizer steps (passes.h: lower()). Per device: a compute
// lane, a lane per directed link, an all-reduce lane, and a copy lane in each direction. An op of
// another lane is issued when the compute lane reaches it; a SEND starts when its link is free; its
// RECV span is the arrival on the other side. An F or a LOAD that would exceed the room for stashes
// which the order itself implies (stashRoom()) waits for the oldest EVICT under way, an EVICT that
// would exceed the room on the partner for the oldest LOAD. Zero-length
// spans are kept. Fails when the schedule deadlocks (validate() says why).
Result<Timeline> simulate(const Schedule& lowered, const OpCosts& costs,
                          const SimulateOptions& options = {});

// Appends iterations placed with `costs` behind the end of `timeline` (emulation: one a call).
Result<void> placeIteration(const Schedule& lowered, const OpCosts& costs, Iteration iteration,
                            Timeline& timeline);

// The same placement without a trace: nothing is kept of an op but the values it makes, about 9
// bytes, so that schedules of hundreds of millions of ops can be timed. `order` may have
// all-reduces and optimizer steps; transfers follow from the data flow. [iteration]
Result<std::vector<IterationSummary>> summarize(const Schedule& order, const OpPrices& prices,
                                                const SimulateOptions& options = {});

} // namespace engine
