#pragma once

#include "engine/backend/device.h"
#include "engine/exec/run_experiment.h"
#include "engine/model/text_data.h"

namespace engine {

// What is known about a run before it starts. `stages` is the number of stages of the executed
// schedule.
struct RunInfoInput
{
    const Experiment& experiment;
    const Schedule& lowered;
    const DeviceInfo& device;
    const TextData& data;
    std::string transport = {}; // RunDevices::transport()
};
RunInfo runInfo(const RunInfoInput& input);

} // namespace engine
