#pragma once

#include "engine/experiment/experiment.h"

namespace engine {

// The schedule that an experiment runs, lowered: of its scheme or its file. Errors name the file or
// what is wrong with the request; Unsupported: it can be simulated only.
Result<Schedule> scheduleOf(const Experiment& experiment);

// A schedule as a model trains with it: RECOMPUTE before every backward where the model recomputes
// all, then lowered, then checked.
Result<Schedule> trainable(const Schedule& schedule, const ModelSpec& model,
                           SyncPolicy sync = SyncPolicy::Eager);

} // namespace engine
