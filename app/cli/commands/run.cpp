#include "app/cli/commands/command.h"
#include "app/cli/commands/record.h"
#include "app/cli/options/field_options.h"
#include "engine/base/try.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/pipeline/run_devices.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace cli {

using namespace engine;

namespace {

struct RunOptions
{
    Experiment experiment;
    TurnOptions turns;
    RecordOptions record;
};

Result<int> run(const CLI::App& app, const RunOptions& options)
{
    auto experiments = TRY(experimentsOf(options.experiment, options.turns));
    for (Experiment& experiment : experiments) {
        if (app.count("--mode") == 0)
            experiment.mode = defaultMode(experiment);
        TRY(checkExperiment(experiment));
        // Beside schemes, a schedule file leaves out the options that are for these.
        if (experiments.size() == 1 || experiment.scheduleFile.empty())
            TRY(checkEffect(app, experimentFields(), experiment));
    }
    return record(experiments, options.record);
}

} // namespace

Action prepareRun(CLI::App& app)
{
    const auto options = std::make_shared<RunOptions>();
    addTurnOptions(app, options->turns, options->experiment.schedule.scheme);
    addFieldOptions(app, experimentFields(), options->experiment,
                    [](std::string_view flag) { return flag == "--scheme"; });
    addRecordOptions(app, options->record);
    return [options, &app] { return run(app, *options); };
}

} // namespace cli
