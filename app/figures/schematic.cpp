#include "app/figures/schematic.h"

#include "app/models/text.h"
#include "engine/experiment/experiment_schedule.h"
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

engine::Result<engine::Run> schematic(const engine::Experiment& experiment)
{
    auto schedule = engine::scheduleOf(experiment, engine::Windows::One);
    if (!schedule)
        return tl::unexpected(schedule.error());
    engine::Run run;
    run.schedule = *std::move(schedule);
    run.info.scheme = run.schedule.scheme;
    if (const engine::Scheme* scheme = engine::findScheme(run.info.scheme))
        run.info.label = shortTitle(fromUtf8(scheme->title)).toStdString();
    run.info.outcome = engine::Outcome::Finished;
    return schematic(run);
}

} // namespace app
