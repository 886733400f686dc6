#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

// The number of other input gradients between an input gradient and its weight gradient: 0 (None)
// or the index of the device (Device).
enum class WeightDelay : std::uint8_t { None, Device };

// Builds the interleaved order in groups of `group` micro-batches, with (v-1) * group + D-1-d
// warm-up forwards on device d. Backwards are split and W is delayed; the remaining W come last.
Schedule delayedWeights(const ScheduleRequest& request, int group, WeightDelay delay);

} // namespace engine::parts
