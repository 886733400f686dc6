#pragma once

#include "app/cli/commands/simulated.h"
#include "app/cli/options/schedule_options.h"

namespace cli {

// --calibrate RUN and --split-backward as given.
struct CalibrateOptions
{
    std::string file, split;
};
// Call after the options of schedules, costs and models have been added; those that set costs
// exclude --calibrate.
void addCalibrateOptions(CLI::App& app, CalibrateOptions& options);

// The run, if one is given.
engine::Result<std::optional<SimulationCosts::Recorded>> recorded(const CalibrateOptions& options);
// Whether no schedule options are given, which selects the recorded schedule.
bool asksForRecorded(const CLI::App& app);
// Takes devices, micro-batches and chunks from the run unless they are given.
void fillFrom(const engine::Schedule& run, const CLI::App& app, ScheduleOptions& options);

} // namespace cli
