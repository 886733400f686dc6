#pragma once

#include "engine/backend/device.h"
#include "engine/exec/run_experiment.h"
#include "engine/model/text_data.h"

namespace engine {

// What is known of a run before it starts. `stages` of the schedule that will run.
struct RunInfoInput
{
    const Experiment& experiment;
    const Schedule& lowered;
    const DeviceInfo& device;
    const TextData& data;
    std::string transport = {}; // RunDevices::transport()
};
RunInfo runInfo(const RunInfoInput& input);

// The bscope command that repeats the run; what is default is left out.
std::string commandOf(const Experiment& experiment);
std::string describeLink(const LinkCost& link); // "50 GB/s, 5 us (assumed)", "free"

} // namespace engine
