#include "app/figures/schematic.h"

#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/sim/simulate.h"

namespace app {

engine::Result<engine::Run> schematic(const engine::Run& run)
{
    const auto costs = TRY(engine::unitOpCosts(run.schedule, {}));
    auto timeline = TRY(engine::simulate(run.schedule, costs));
    engine::RunInfo info = run.info;
    info.mode = engine::Mode::Simulate;
    info.ticksPerUnit = costs.ticksPerUnit;
    return engine::Run{std::move(info), run.schedule, std::move(timeline)};
}

engine::Result<engine::Run> schematic(const engine::Experiment& experiment)
{
    auto schedule = TRY(engine::scheduleOf(experiment, engine::Windows::One));
    engine::Run run;
    run.schedule = std::move(schedule);
    run.info.scheme = run.schedule.scheme;
    if (const engine::Scheme* scheme = engine::findScheme(run.info.scheme))
        run.info.label = shortTitle(fromUtf8(scheme->title)).toStdString();
    run.info.outcome = engine::Outcome::Finished;
    return schematic(run);
}

} // namespace app
