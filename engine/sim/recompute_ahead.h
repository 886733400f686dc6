#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/schedule/passes/passes.h"

#include <functional>

namespace engine {

struct AheadOptions
{
    Fraction most;    // M_a that a device may hold; 0: as many as the fullest one without moving
    double keeps = 0; // share of a stash that is kept from its F until its RECOMPUTE
    SyncPolicy sync = SyncPolicy::Eager; // how the order will be lowered
};
using CostsOfLowered = std::function<Result<OpCosts>(const Schedule& lowered)>;

// Moves RECOMPUTE ops that delay their backward to an earlier place, where their device is idle for
// as long as they take, so that they delay no op. Of several places it takes the last one, because
// the stash is complete from its RECOMPUTE to its backward. With the given costs, the iteration
// never becomes longer; moves that gain nothing are undone.
//
// A RECOMPUTE that was moved stays where it is.
//
// Fails if the order has no RECOMPUTE, is asynchronous, evicts stashes (its memory then depends on
// times), or holds more than `most` without moving.
Result<Schedule> recomputeAhead(Schedule order, const AheadOptions& options,
                                const CostsOfLowered& costs);

} // namespace engine
