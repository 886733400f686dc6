#pragma once

#include "engine/plan/stash_plan.h"

namespace engine {

// The memory of the weight versions that the ops of an asynchronous schedule use besides the newest
// one (weight_versions.h: KeptVersions). A copy lives until the last op that uses it has ended.
struct VersionPlan
{
    std::vector<PlannedBuffer> buffers; // copies of old weight versions; each belongs to one stage
    // [position] the version that an op uses, or that an OPT keeps, as an index into `buffers`.
    // kNoIndex: the op uses the newest weights, or the OPT keeps no version.
    std::vector<std::uint32_t> of;
};

// Returns an empty plan for a synchronous schedule. Requires checkRunnable(lowered).
VersionPlan planVersions(const StashPlanInput& input, DeviceId device);

} // namespace engine
