#pragma once

#include "engine/base/result.h"
#include "engine/cost/op_prices.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

namespace engine {

struct SimulateOptions
{
    // The number of iterations; the pipeline drains between two iterations. A stream
    // (Shape::windows) is placed once and then divided into windows, of which `iterations` are
    // measured.
    int iterations = 1;
    // For summarize(): the share of a stash that is kept from F until its RECOMPUTE.
    double recomputeKeeps = 0;
};

// Simulates a schedule. Times are integers, and the result is deterministic. The running time is
// linear in the number of ops. `lowered` must have its transfers, all-reduces and optimizer steps
// (passes.h: lower()). Fails if the schedule deadlocks (validate() reports why).
//
// A device has a compute lane, a lane per directed link, an all-reduce lane, and a copy lane per
// direction. An op of a lane other than compute is issued when compute reaches it. A SEND starts
// when its link is free; the span of its RECV is the arrival. If the costs have SharedLinks,
// transfers that share a link are slower (sim/network.h). An F or LOAD that would exceed the
// device's capacity for stashes (stashCapacity()) waits for the oldest running EVICT. An EVICT that
// would exceed the partner's capacity waits for the oldest LOAD. Spans of length zero are kept.
Result<Timeline> simulate(const Schedule& lowered, const OpCosts& costs,
                          const SimulateOptions& options = {});

// The length in ticks of the one iteration that simulate() places. Stores no spans, so it takes
// half of the time. The schedule must not be a stream (Shape::windows).
Result<std::int64_t> iterationLength(const Schedule& lowered, const OpCosts& costs);

// Appends an iteration, placed with `costs`, to `timeline`. Emulation calls this for every
// iteration.
Result<void> placeIteration(const Schedule& lowered, const OpCosts& costs, Iteration iteration,
                            Timeline& timeline);

// Like simulate(), but returns one IterationSummary per iteration and no spans. Needs about 9 bytes
// per op, so schedules of hundreds of millions of ops can be simulated. `order` may have
// all-reduces and optimizer steps; transfers are derived from the data flow.
Result<std::vector<IterationSummary>> summarize(const Schedule& order, const OpPrices& prices,
                                                const SimulateOptions& options = {});

} // namespace engine
