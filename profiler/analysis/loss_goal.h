#pragma once

#include "engine/timeline/run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace profiler {

// A target loss in nats per token. It is compared with the mean over `window` blocks of
// micro-batches, because single losses are noisy. A block has the same tokens in all runs, so that
// runs with different micro-batch sizes are compared after the same samples.
struct LossGoal
{
    double loss = 0;
    std::size_t window = 1;  // number of blocks
    std::int64_t tokens = 0; // of a block; 0: a block is one micro-batch

    // The default window; smaller if a run has fewer micro-batches.
    static constexpr std::size_t kWindow = 32;
};
// The lowest loss that all runs reach; nullopt if a run has no losses.
std::optional<LossGoal> bestCommonLoss(const std::vector<const engine::Run*>& runs);
// Returns a goal with this loss and the window of bestCommonLoss(); nullopt if a run has no losses.
std::optional<LossGoal> lossGoal(const std::vector<const engine::Run*>& runs, double loss);

// What a run needed until the mean loss of the last LossGoal::window micro-batches was at most the
// target. Counts from the first iteration, because warm-up also trains.
struct LossReached
{
    std::int64_t iterations = 0; // iterations begun; the last one may be incomplete
    std::int64_t updates = 0;    // weight updates before the last of `microBatches`
    std::int64_t microBatches = 0, tokens = 0;
};
// Returns nullopt if the loss was never reached.
std::optional<LossReached> reached(const engine::Run& run, const LossGoal& goal);

} // namespace profiler
