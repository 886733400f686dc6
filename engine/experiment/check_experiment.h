#pragma once

#include "engine/experiment/experiment.h"

namespace engine {

// Everything of the experiment that can be judged before it is planned: counts, mode.
Result<void> checkExperiment(const Experiment& experiment);

} // namespace engine
