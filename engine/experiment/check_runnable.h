#pragma once

#include "engine/base/result.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/passes/passes.h"

namespace engine {

// Fails with Error::Code::InvalidArgument or Unsupported if the schedule cannot be trained. This is
// the case if it has sequence slices and whole micro-batches, or copies of stashes and slices or
// halves; or if it is asynchronous and has slices, several data-parallel pipelines, invalid weight
// versions, or updates of different sizes.
Result<void> checkRunnable(const Schedule& lowered);

// Fails with Error::Code::InvalidArgument if `sync` is Late and an asynchronous schedule has
// all-reduces. In such a schedule the next backward of a stage waits for the stage's all-reduce, so
// the all-reduce cannot be delayed.
Result<void> checkSync(const Schedule& schedule, SyncPolicy sync);

// Fails with Error::Code::Unsupported if the schedule has sequence slices and the backward of the
// model needs activations that full recomputation frees, or its attention needs whole sequences.
Result<void> checkSlices(const Schedule& schedule, const ModelSpec& model);

// Fails with Error::Code::Unsupported if a model with tied embeddings cannot be trained with the
// schedule.
Result<void> checkTied(const Schedule& lowered);

} // namespace engine
