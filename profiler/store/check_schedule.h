#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace profiler {

// Whether everything in the schedule points at something that exists, so that no later table is
// indexed outside. (Whether it can run is validate()'s question.) The store neither writes nor
// reads another one.
engine::Result<void> checkSchedule(const engine::Schedule& schedule);

} // namespace profiler
