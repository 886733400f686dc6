#pragma once

#include "engine/timeline/run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace profiler {

// A target loss in nats per token, compared with the mean over a window of micro-batches,
// because single losses are noisy.
struct LossGoal
{
    double loss = 0;
    std::size_t window = 1; // micro-batches

    static constexpr std::size_t kWindow = 32; // or fewer if the shortest run has fewer
};
// The lowest loss that all runs reach; none if a run has no losses.
std::optional<LossGoal> bestCommonLoss(const std::vector<const engine::Run*>& runs);
// As above for a given loss.
std::optional<LossGoal> lossGoal(const std::vector<const engine::Run*>& runs, double loss);

// What a run needed until the mean of the last `window` micro-batches was at most the goal;
// counts from the first iteration, including warm-up, which also trains.
struct LossReached
{
    std::int64_t iterations = 0; // the last one may be incomplete
    std::int64_t updates = 0;    // before the last of these micro-batches
    std::int64_t microBatches = 0, tokens = 0;
};
// None if the loss was never reached.
std::optional<LossReached> reached(const engine::Run& run, const LossGoal& goal);

} // namespace profiler
