#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace engine {

// Returns InvalidArgument or Unsupported if the schedule cannot be trained: asynchronous schedules
// with several copies, invalid weight versions, or updates of different sizes.
Result<void> checkRunnable(const Schedule& lowered);

// Returns Unsupported if a model with tied embeddings cannot be trained with the schedule.
Result<void> checkTied(const Schedule& lowered);

} // namespace engine
