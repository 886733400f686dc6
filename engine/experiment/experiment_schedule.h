#pragma once

#include "engine/experiment/experiment.h"

namespace engine {

// The lowered schedule of an experiment, from its scheme or its file. Errors name the file or
// the invalid argument; Unsupported: it can only be simulated.
Result<Schedule> scheduleOf(const Experiment& experiment);

// Prepares a schedule for training: adds RECOMPUTE before every backward if the model recomputes
// everything, lowers and checks it.
Result<Schedule> trainable(const Schedule& schedule, const ModelSpec& model,
                           SyncPolicy sync = SyncPolicy::Eager);

} // namespace engine
