#include "profiler/whatif/other_times.h"

#include "engine/base/try.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/whatif/predict.h"

#include <fmt/format.h>

#include <algorithm>

namespace profiler {

using namespace engine;

Result<Runs> withOpTimesOf(const Runs& runs, std::size_t baseline)
{
    const Run& base = *runs[baseline];
    const auto predictor = TRY(WhatIfPredictor::create(base));
    Runs all;
    for (const auto& run : runs) {
        if (const std::string why = whyUnknown(run->info); !why.empty())
            return fail(Error::Code::InvalidArgument,
                        fmt::format("the schedule of {} is not known: {}; leave this run out",
                                    run->info.label, why));
        WhatIf same;
        same.schedule = run->schedule;
        same.resamples = 0;
        for (auto& program : same.schedule.program) // lowered again by predict()
            std::erase_if(program, [](const Op& op) {
                return isTransfer(op.kind) || op.kind == OpKind::AllReduce
                    || op.kind == OpKind::OptimizerStep;
            });
        Run replayed = TRY(predictor.predict(same)).run;
        replayed.info = run->info;
        replayed.info.mode = Mode::Simulate;
        replayed.info.ticksPerUnit = base.info.ticksPerUnit;
        all.push_back(std::make_shared<const Run>(std::move(replayed)));
    }
    return all;
}

Result<Run> withEvenCosts(const Run& run)
{
    const auto costs = TRY(calibratedCosts(run, run.schedule, {.ownTimes = false}));
    auto timeline = TRY(simulate(run.schedule, costs));
    Run predicted{run.info, run.schedule, std::move(timeline)};
    predicted.info.label += ", even costs";
    predicted.info.mode = Mode::Simulate;
    predicted.info.outcome = Outcome::Finished;
    predicted.info.failure.clear();
    predicted.info.timing.clear();
    predicted.info.command.clear();
    predicted.info.plannedWarmup = 0;
    predicted.info.plannedIterations = 1;
    return predicted;
}

} // namespace profiler
