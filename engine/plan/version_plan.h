#pragma once

#include "engine/plan/stash_plan.h"

namespace engine {

// Where the weights are that the ops of an asynchronous schedule use. The newest version lies at
// home, in the stage's own weights, which every OPT updates in place. A version that micro-batches
// under way still need is kept by the OPT that makes the next one: it copies the weights aside
// before it updates them (PipeDream's weight stashing; with PipeDream-2BW the second buffer), until
// the last op that uses them has ended.
struct VersionPlan
{
    std::vector<PlannedBuffer> buffers; // of kept versions, one stage's weights each
    // [position] of an op the version that it uses, of an OPT the one that it keeps; an index into
    // `buffers`. kNoIndex: the weights at home; nothing is kept.
    std::vector<std::uint32_t> of;
};

// Of a synchronous schedule nothing is kept. checkRunnable(lowered) has passed.
VersionPlan planVersions(const StashPlanInput& input, DeviceId device);

} // namespace engine
