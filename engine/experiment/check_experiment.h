#pragma once

#include "engine/base/result.h"
#include "engine/experiment/experiment.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/passes/passes.h"

namespace engine {

// Checks the settings that do not depend on the schedule: counts, mode and options of GPUs.
Result<void> checkExperiment(const Experiment& experiment);

// Fails with Error::Code::InvalidArgument or Unsupported if the schedule cannot be trained. A
// synchronous schedule must not mix sequence slices with whole micro-batches, nor EVICT and LOAD
// with slices or halves. An asynchronous schedule must have one data-parallel pipeline, no slices,
// valid weight versions, and updates of equal size.
Result<void> checkRunnable(const Schedule& lowered);

// Fails with Error::Code::InvalidArgument if `sync` is Late and an asynchronous schedule has
// all-reduces. In such a schedule the next backward of a stage waits for the stage's all-reduce, so
// the all-reduce cannot be delayed.
Result<void> checkSync(const Schedule& schedule, SyncPolicy sync);

// Fails with Error::Code::Unsupported if the schedule has sequence slices and the model uses full
// recomputation (it frees activations of earlier slices) or bidirectional attention. Runs and
// predictions of every kind refuse such a pair.
Result<void> checkSlices(const Schedule& schedule, Family family, Recompute recompute);

// Fails with Error::Code::Unsupported if a model with tied embeddings cannot be trained with the
// schedule.
Result<void> checkTied(const Schedule& lowered);

} // namespace engine
