#pragma once

#include "engine/cost/model_prices.h"
#include "engine/timeline/timeline.h"

namespace engine {

// The memory of a simulated run over time, in the same form as that of an emulated run. It has the
// bytes that stages hold for the whole run, then every stash from its F to its B (or W). A stash
// that moves counts on both devices. A stash that is rebuilt has its reduced size between F and its
// RECOMPUTE or backward. Sorted by time; at equal times frees come first.
std::vector<MemoryEvent> simulatedMemory(const Schedule& lowered, const Timeline& timeline,
                                         const IdVector<StageId, StageBytes>& stages);

} // namespace engine
