#pragma once

#include "engine/cost/cost_model.h"
#include "engine/exec/executor.h"
#include "engine/exec/launch_hooks.h"

namespace engine {

struct ExecutorSetup
{
    Pipeline::Setup pipeline;
    Mode mode = Mode::Emulate; // Emulate or Live
    LinkCost link = {};        // only for emulation
    TimingRules rules = {};    // for emulation; live mode uses only blockingAllReduce
    LaunchHooks hooks = {};    // only for GPUs
};
// Makes an executor that runs `run.schedule` and appends to `run.timeline`. `run` and all objects
// that `setup` refers to must outlive it. Throws std::bad_alloc.
std::unique_ptr<Executor> makeExecutor(const ExecutorSetup& setup, Run& run);

} // namespace engine
