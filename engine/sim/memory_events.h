#pragma once

#include "engine/cost/model_prices.h"
#include "engine/timeline/timeline.h"

namespace engine {

// The memory of a simulated run over time, in the form in which an emulated run records it: the
// bytes that stages hold for the whole run, then every stash from its F to its B (or W), on both
// devices while it moves. A stash that is rebuilt has its reduced size between F and its RECOMPUTE
// or backward. Sorted by time, frees first.
std::vector<MemoryEvent> simulatedMemory(const Schedule& lowered, const Timeline& timeline,
                                         const IdVector<StageId, StageBytes>& stages);

} // namespace engine
