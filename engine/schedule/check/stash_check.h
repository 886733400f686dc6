#pragma once

#include "engine/schedule/check/validate.h"

#include <vector>

namespace engine {

// Follows every stash: F creates it, EVICT moves it to the partner, LOAD moves it back, RECOMPUTE
// and B or I use it, B or W frees it. Reports ops whose stash is evicted, freed or not yet created,
// and EVICT and LOAD ops without a stash to move. Skips ops outside the shape.
std::vector<Violation> checkStashes(const Schedule& schedule);

// Reports devices whose peak stash, StashPeak::own + guests, exceeds `limit` parts.
std::vector<Violation> checkStashLimit(const Schedule& schedule, std::int64_t limit);

} // namespace engine
