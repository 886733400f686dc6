#pragma once

#include "app/cli/options/schedule_options.h"
#include "profiler/predict/predict.h"

#include <optional>
#include <string>

namespace cli {

// The options that say which schedules are simulated and at which costs: those of `bscope simulate`
// and `bscope search`.
struct PredictionOptions
{
    ScheduleOptions schedule;
    std::string recomputeKeeps; // "": the default for --recompute
    // The schedule of the run of --calibrate, if no option asks for another.
    std::optional<engine::Schedule> recordedOrder;
    int iterations = 1;

    profiler::PredictionRequest& request() { return schedule.request; }
    const profiler::PredictionRequest& request() const { return schedule.request; }
};

void addPredictionOptions(CLI::App& app, PredictionOptions& options);
// Completes the options after they were parsed, and reads the run of --calibrate. Fails if an
// option would have no effect.
engine::Result<void> complete(const CLI::App& app, PredictionOptions& options);
engine::Result<profiler::PredictionCosts> costsOf(const PredictionOptions& options);

} // namespace cli
