#pragma once

#include "engine/exec/run_experiment.h"
#include "engine/pipeline/run_devices.h"

#include <functional>

namespace engine {

// Devices for a pipeline of so many, counted through all its copies.
using OpenDevices = std::function<Result<RunDevices>(int count)>;

// runExperiment() on devices that are not those of this machine: for tests.
Result<Run> runOnDevices(const Experiment& experiment, const OpenDevices& open,
                         const RunObserver& observer, const std::atomic<bool>& cancel);

} // namespace engine
