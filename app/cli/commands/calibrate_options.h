#pragma once

#include "app/cli/commands/simulated.h"
#include "app/cli/options/schedule_options.h"

namespace cli {

struct CalibrateOptions
{
    std::string file, split;
};
// Adds --calibrate and --split-backward. Call it after adding the options for schedules, costs and
// models, because --calibrate excludes the options that set costs.
void addCalibrateOptions(CLI::App& app, CalibrateOptions& options);

// Reads the run of --calibrate; nullopt without --calibrate.
engine::Result<std::optional<SimulationCosts::Recorded>> recorded(const CalibrateOptions& options);
// Whether no schedule option is given, so that the recorded schedule is used.
bool usesRecordedSchedule(const CLI::App& app);
// Sets the numbers of devices, micro-batches and chunks from the run unless they are given as
// options.
void fillFrom(const engine::Schedule& run, const CLI::App& app, ScheduleOptions& options);

} // namespace cli
