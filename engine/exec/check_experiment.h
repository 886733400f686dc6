#pragma once

#include "engine/exec/run_experiment.h"

namespace engine {

// Everything of the experiment that can be judged before it is planned: counts, mode.
Result<void> checkExperiment(const Experiment& experiment);

} // namespace engine
