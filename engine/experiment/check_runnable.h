#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace engine {

// InvalidArgument or Unsupported say what of the schedule cannot be trained with: asynchronous
// schedules of several copies, whose versions are wrong, or whose updates are not all alike.
Result<void> checkRunnable(const Schedule& lowered);

// Whether a model with a tied head can be trained with it, too.
Result<void> checkTied(const Schedule& lowered);

} // namespace engine
