#pragma once

#include "engine/cost/model_prices.h"
#include "engine/timeline/timeline.h"

namespace engine {

// The memory of a simulated run over time, as events like those of emulated runs: the bytes that
// stages hold for the whole run, the older weight versions of an asynchronous schedule, and every
// stash from its F to its B (or W). A stash in transfer counts on both devices. A recomputed stash
// has its reduced size from F to its RECOMPUTE or backward. The events are sorted by time; at equal
// times, frees come first.
std::vector<MemoryEvent> simulatedMemory(const Schedule& lowered, const Timeline& timeline,
                                         const IdVector<StageId, StageBytes>& stages);

} // namespace engine
