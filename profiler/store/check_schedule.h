#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace profiler {

// Checks that all indices in the schedule are valid. (validate() checks whether it can run.) The
// store only reads and writes such schedules.
engine::Result<void> checkSchedule(const engine::Schedule& schedule);

} // namespace profiler
