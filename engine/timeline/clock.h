#pragma once

#include "engine/timeline/run.h"

namespace engine {

// A timeline's ticks in nanoseconds, for formats that know nothing else. One abstract unit counts
// as one second. Saturates.
std::int64_t nanosecondsOf(const RunInfo& info, std::int64_t ticks);

} // namespace engine
