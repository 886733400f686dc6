#pragma once

#include "engine/exec/executor.h"
#include "engine/exec/launch_hooks.h"
#include "engine/exec/op_costs.h"

namespace engine {

struct ExecutorSetup
{
    Pipeline::Setup pipeline;
    Mode mode = Mode::Emulate; // Emulate or Live
    EmulatedLinks links = {};  // for emulation
    TimingRules rules = {};    // for emulation; in live mode only blockingAllReduce
    LaunchHooks hooks = {};    // for GPUs
};
// Makes an executor that runs `run.schedule` and appends to `run.timeline`. `run` and all objects
// that `setup` refers to must outlive it. Throws std::bad_alloc.
std::unique_ptr<Executor> makeExecutor(const ExecutorSetup& setup, Run& run);

} // namespace engine
