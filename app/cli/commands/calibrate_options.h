#pragma once

#include "app/cli/commands/simulated.h"
#include "app/cli/options/schedule_options.h"

namespace cli {

// --calibrate RUN and --split-backward, as they were typed.
struct CalibrateOptions
{
    std::string file, split;
};
// Behind the options of schedules, costs and models: those that would say what an op takes exclude
// --calibrate.
void addCalibrateOptions(CLI::App& app, CalibrateOptions& options);

// The run, where there is one.
engine::Result<std::optional<SimulationCosts::Recorded>> recorded(const CalibrateOptions& options);
// Whether nothing was said of a schedule: then the one that was recorded is meant.
bool asksForRecorded(const CLI::App& app);
// Devices, micro-batches and chunks that were not given are the run's.
void fillFrom(const engine::Schedule& run, const CLI::App& app, ScheduleOptions& options);

} // namespace cli
