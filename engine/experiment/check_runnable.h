#pragma once

#include "engine/base/result.h"
#include "engine/schedule/passes/passes.h"

namespace engine {

// Fails with Error::Code::InvalidArgument or Unsupported if the schedule cannot be trained: if it
// is asynchronous with several data-parallel pipelines, has invalid weight versions, or updates of
// different sizes.
Result<void> checkRunnable(const Schedule& lowered);

// Fails with Error::Code::InvalidArgument if the all-reduces of an asynchronous schedule should be
// late: the next backward of a stage has to wait for its all-reduce.
Result<void> checkSync(const Schedule& schedule, SyncPolicy sync);

// Fails with Error::Code::Unsupported if a model with tied embeddings cannot be trained with the
// schedule.
Result<void> checkTied(const Schedule& lowered);

} // namespace engine
