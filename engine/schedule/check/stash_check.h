#pragma once

#include "engine/schedule/check/validate.h"

#include <vector>

namespace engine {

// The life of the stashes: F makes one, EVICT takes it to the partner, LOAD brings it back,
// RECOMPUTE and B or I use it, B or W frees it. A violation where an op finds its stash away, freed
// or not made yet, and where an EVICT or a LOAD finds nothing to move. Ops that fit no stage are
// passed over.
std::vector<Violation> checkStashes(const Schedule& schedule);

// Devices whose peak is above `limit`, in parts.
std::vector<Violation> checkStashLimit(const Schedule& schedule, std::int64_t limit);

} // namespace engine
