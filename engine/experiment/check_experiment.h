#pragma once

#include "engine/experiment/experiment.h"

namespace engine {

// Checks the settings that do not depend on the schedule: counts, mode and options of GPUs.
Result<void> checkExperiment(const Experiment& experiment);

} // namespace engine
