#pragma once

#include "engine/exec/run_experiment.h"
#include "engine/pipeline/run_devices.h"

#include <functional>

namespace engine {

// Opens `count` devices: those of all data-parallel pipelines.
using OpenDevices = std::function<Result<RunDevices>(int count)>;

// runExperiment() on devices that the caller opens, so that tests need not use those of this
// machine.
Result<Run> runOnDevices(const Experiment& experiment, const OpenDevices& open,
                         const RunObserver& observer, const std::atomic<bool>& cancel);

} // namespace engine
