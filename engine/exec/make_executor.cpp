#include "engine/exec/make_executor.h"

#include "engine/base/check.h"
#include "engine/exec/emulation.h"
#include "engine/exec/live.h"

namespace engine {

std::unique_ptr<Executor> makeExecutor(const ExecutorSetup& setup, Run& run)
{
    if (setup.mode == Mode::Live) {
        Live::Setup live{setup.pipeline};
        live.pipeline.blockingAllReduce = setup.rules.blockingAllReduce;
        live.hooks = setup.hooks;
        return std::make_unique<Live>(live, run);
    }
    CHECK(setup.mode == Mode::Emulate);
    return std::make_unique<Emulation>(
        Emulation::Setup{setup.pipeline, setup.links, setup.rules, setup.hooks}, run);
}

} // namespace engine
