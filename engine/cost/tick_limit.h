#pragma once

#include "engine/cost/cost_model.h"

namespace engine {

// Fails with costsTooLarge() if ops whose durations and latencies sum to `ticks` could take more
// than a quarter of the range of std::int64_t under the rules.
Result<void> checkTicks(double ticks, const TimingRules& rules);
// Fails in the same way if an iteration with these costs that begins at `start` could end after
// this limit.
Result<void> checkTicks(const OpCosts& costs, std::int64_t start = 0);
// Rounds a computed cost. Saturates instead of overflowing, at a cost that checkTicks() refuses.
std::int64_t roundedTicks(double ticks);

} // namespace engine
