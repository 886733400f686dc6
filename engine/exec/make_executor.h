#pragma once

#include "engine/cost/cost_model.h"
#include "engine/exec/executor.h"
#include "engine/exec/launch_hooks.h"

namespace engine {

struct ExecutorSetup
{
    Pipeline::Setup pipeline;
    Mode mode = Mode::Emulate; // or Live
    LinkCost link = {};        // of emulation
    TimingRules rules = {};    // of emulation; live: whether all-reduces block
    LaunchHooks hooks = {};    // where a GPU computes
};
// `run.schedule` is what runs; results are appended to `run.timeline`. What is referred to must
// outlive it. std::bad_alloc.
std::unique_ptr<Executor> makeExecutor(const ExecutorSetup& setup, Run& run);

} // namespace engine
