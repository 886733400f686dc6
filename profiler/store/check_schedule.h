#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace profiler {

// Checks that all indices in the schedule are valid. (validate() checks whether the schedule can
// run.) The store reads and writes only schedules that pass this check.
engine::Result<void> checkSchedule(const engine::Schedule& schedule);

} // namespace profiler
