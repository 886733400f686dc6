#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

// The interleaved order in groups of `group` micro-batches with (v-1) group + D-1-d warm-up
// forwards. Each backward only makes the input gradient; on device d the weight gradients follow d
// input gradients behind, those left come last.
Schedule delayedWeights(const ScheduleRequest& request, int group);

} // namespace engine::parts
