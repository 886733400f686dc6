#pragma once

#include "engine/exec/run_experiment.h"
#include "engine/pipeline/run_devices.h"

#include <functional>

namespace engine {

// Opens this many devices, counted over all data-parallel copies.
using OpenDevices = std::function<Result<RunDevices>(int count)>;

// runExperiment() with other devices than those of this machine, for tests.
Result<Run> runOnDevices(const Experiment& experiment, const OpenDevices& open,
                         const RunObserver& observer, const std::atomic<bool>& cancel);

} // namespace engine
