#include "app/compare/even_costs.h"

#include "engine/base/try.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"

#include <utility>

namespace app {

engine::Result<engine::Run> withEvenCosts(const engine::Run& run)
{
    const auto costs = TRY(profiler::calibratedCosts(run, run.schedule, {.ownTimes = false}));
    auto timeline = TRY(engine::simulate(run.schedule, costs));
    engine::Run predicted{run.info, run.schedule, std::move(timeline)};
    predicted.info.label += ", even costs";
    predicted.info.mode = engine::Mode::Simulate;
    predicted.info.outcome = engine::Outcome::Finished;
    predicted.info.failure.clear();
    predicted.info.timing.clear();
    predicted.info.command.clear();
    predicted.info.plannedWarmup = 0;
    predicted.info.plannedIterations = 1;
    return predicted;
}

} // namespace app
