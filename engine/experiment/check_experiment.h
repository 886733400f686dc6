#pragma once

#include "engine/experiment/experiment.h"

namespace engine {

// Checks counts and mode before planning.
Result<void> checkExperiment(const Experiment& experiment);

} // namespace engine
