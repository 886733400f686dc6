#pragma once

#include "engine/backend/device.h"
#include "engine/exec/run_experiment.h"
#include "engine/model/text_data.h"

namespace engine {

// The input for RunInfo: everything known about a run before it starts.
struct RunInfoInput
{
    const Experiment& experiment;
    const Schedule& lowered;
    const DeviceInfo& device;
    const TextData& data;
    std::string transport = {}; // see RunDevices::transport()
};
RunInfo runInfo(const RunInfoInput& input);

} // namespace engine
