#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

// How many input gradients a weight gradient follows behind: none, or as many as devices lie before
// its own.
enum class WeightDelay : std::uint8_t { None, Device };

// The interleaved order in groups of `group` micro-batches with (v-1) group + D-1-d warm-up
// forwards. Each backward only makes the input gradient; its weight gradient comes after the delay,
// those left come last.
Schedule delayedWeights(const ScheduleRequest& request, int group, WeightDelay delay);

} // namespace engine::parts
