#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace engine {

// Fails with Error::Code::InvalidArgument or Unsupported if the schedule cannot be trained: if it
// is asynchronous with several data-parallel pipelines, has invalid weight versions, or updates of
// different sizes.
Result<void> checkRunnable(const Schedule& lowered);

// Fails with Error::Code::Unsupported if a model with tied embeddings cannot be trained with the
// schedule.
Result<void> checkTied(const Schedule& lowered);

} // namespace engine
