#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

// How many input gradients after its own a weight gradient runs. None: 0. Device: the index of the
// device.
enum class WeightDelay : std::uint8_t { None, Device };

// The interleaved order in groups of `group` micro-batches with (v-1) group + D-1-d warm-up
// forwards. Backwards are split; weight gradients are delayed, and those that remain come last.
Schedule delayedWeights(const ScheduleRequest& request, int group, WeightDelay delay);

} // namespace engine::parts
