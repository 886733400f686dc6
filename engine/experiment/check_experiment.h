#pragma once

#include "engine/experiment/experiment.h"

namespace engine {

// Checks what needs no schedule: counts, mode and options of GPUs.
Result<void> checkExperiment(const Experiment& experiment);

} // namespace engine
