#pragma once

#include "engine/cost/model_prices.h"
#include "engine/timeline/timeline.h"

namespace engine {

// The memory of a simulated run over time, as an emulated one records it: what stages hold for the
// whole run, then every stash from its F to its B (or W), on both devices while it moves. Where a
// stage keeps less than its stash, that is all there is between its F and the RECOMPUTE, or else
// the backward, that rebuilds it. By time, frees first. `stages`: [stage].
std::vector<MemoryEvent> simulatedMemory(const Schedule& lowered, const Timeline& timeline,
                                         const std::vector<StageBytes>& stages);

} // namespace engine
