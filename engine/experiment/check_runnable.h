#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace engine {

// InvalidArgument or Unsupported if the schedule cannot be trained: asynchronous schedules with
// several copies, wrong versions, or updates of different sizes.
Result<void> checkRunnable(const Schedule& lowered);

// Also requires that a model with tied embeddings can be trained.
Result<void> checkTied(const Schedule& lowered);

} // namespace engine
