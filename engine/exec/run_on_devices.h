#pragma once

#include "engine/exec/run_experiment.h"
#include "engine/pipeline/run_devices.h"

#include <functional>

namespace engine {

// Opens `count` devices, for all data-parallel pipelines together.
using OpenDevices = std::function<Result<RunDevices>(int count)>;

// Like runExperiment(), but on devices that the caller opens. For tests that do not use this
// machine's devices.
Result<Run> runOnDevices(const Experiment& experiment, const OpenDevices& open,
                         const RunObserver& observer, const std::atomic<bool>& cancel);

} // namespace engine
