#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace engine::sim {

// Properties of a schedule that the placer needs, collected in one pass.
struct OrderFacts
{
    bool hasTransfers = false, hasCopies = false, hasRecomputes = false;
    IdVector<StageId, int> allReduceCalls; // [stage] number of calls per all-reduce
};

// Collects the facts and validates the ops, which may come from a file: each must exist in the
// shape, be on the device of its stage, and name a peer if its kind has one. Returns the first
// error.
Result<OrderFacts> orderFacts(const Schedule& schedule);

} // namespace engine::sim
