#pragma once

#include "engine/plan/stash_plan.h"

namespace engine {

// Positions of the weights that the ops of an asynchronous schedule use. The newest version is
// in the stage's own weights, which every OPT updates in place. If unfinished micro-batches
// still need a version, the OPT that creates the next one first copies the weights (PipeDream's
// weight stashing; PipeDream-2BW's second buffer). The copy lives until the last op that uses it
// has ended.
struct VersionPlan
{
    std::vector<PlannedBuffer> buffers; // of kept versions, the weights of one stage each
    // [position] the version that an op uses, or that an OPT keeps: an index into `buffers`.
    // kNoIndex: the stage's own weights; nothing is kept.
    std::vector<std::uint32_t> of;
};

// Empty for a synchronous schedule. Requires checkRunnable(lowered).
VersionPlan planVersions(const StashPlanInput& input, DeviceId device);

} // namespace engine
