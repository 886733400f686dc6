#pragma once

#include "engine/timeline/run.h"

namespace engine {

// Converts ticks to nanoseconds for formats without other units. One abstract unit counts as one
// second. Saturates on overflow.
std::int64_t nanosecondsOf(const RunInfo& info, std::int64_t ticks);

} // namespace engine
