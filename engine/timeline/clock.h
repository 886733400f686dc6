#pragma once

#include "engine/timeline/run.h"

namespace engine {

// Converts ticks to nanoseconds, for formats that have only seconds. One cost unit becomes one
// second. Saturates on overflow.
std::int64_t nanosecondsOf(const RunInfo& info, std::int64_t ticks);

} // namespace engine
