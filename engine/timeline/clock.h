#pragma once

#include "engine/timeline/run.h"

namespace engine {

// Ticks as nanoseconds, for formats without other units. One abstract unit is one second.
// Saturates.
std::int64_t nanosecondsOf(const RunInfo& info, std::int64_t ticks);

} // namespace engine
