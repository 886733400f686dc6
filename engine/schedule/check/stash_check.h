#pragma once

#include "engine/schedule/check/validate.h"

#include <vector>

namespace engine {

// Follows every stash: F creates it, EVICT moves it to the partner, LOAD moves it back,
// RECOMPUTE and B or I use it, B or W frees it. Reports ops whose stash is evicted, freed or not
// yet created, and EVICT and LOAD ops without a stash to move. Ops outside the shape are
// skipped.
std::vector<Violation> checkStashes(const Schedule& schedule);

// Devices whose peak exceeds `limit` parts.
std::vector<Violation> checkStashLimit(const Schedule& schedule, std::int64_t limit);

} // namespace engine
