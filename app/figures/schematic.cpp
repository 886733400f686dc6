#include "app/figures/schematic.h"

#include "engine/sim/simulate.h"

namespace app {

engine::Result<engine::Run> schematic(const engine::Run& run)
{
    const auto costs = engine::unitOpCosts(run.schedule, {});
    if (!costs)
        return tl::unexpected(costs.error());
    auto timeline = engine::simulate(run.schedule, *costs);
    if (!timeline)
        return tl::unexpected(timeline.error());
    engine::RunInfo info = run.info;
    info.mode = engine::Mode::Simulate;
    info.ticksPerUnit = costs->ticksPerUnit;
    return engine::Run{std::move(info), run.schedule, *std::move(timeline)};
}

} // namespace app
