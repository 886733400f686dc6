#pragma once

#include "engine/timeline/run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace profiler {

// A loss that is asked of several runs, nats per token, and over how many micro-batches in a row
// its mean is taken: single ones are noisy.
struct LossGoal
{
    double loss = 0;
    std::size_t window = 1; // micro-batches

    static constexpr std::size_t kWindow = 32; // or what the shortest run has
};
// The lowest loss that all of them reach; none when one has no losses.
std::optional<LossGoal> bestCommonLoss(const std::vector<const engine::Run*>& runs);
// The same with a loss of one's own.
std::optional<LossGoal> lossGoal(const std::vector<const engine::Run*>& runs, double loss);

// What a run needed until the mean of the last `window` micro-batches was at most the goal. Counted
// from its first iteration, warm-up included, since that trains, too.
struct LossReached
{
    std::int64_t iterations = 0; // of which the last need not be complete
    std::int64_t updates = 0;    // before the last of these micro-batches
    std::int64_t microBatches = 0, tokens = 0;
};
// None: it never was.
std::optional<LossReached> reached(const engine::Run& run, const LossGoal& goal);

} // namespace profiler
