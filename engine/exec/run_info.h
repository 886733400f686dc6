#pragma once

#include "engine/backend/device.h"
#include "engine/exec/run_experiment.h"
#include "engine/model/text_data.h"

namespace engine {

// Facts about a run that are known before it starts. `stages` of the schedule to execute.
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
