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
    RecordOptions record;
};

Result<int> run(const CLI::App& app, const RunOptions& options)
{
    Experiment experiment = options.experiment;
    if (app.count("--mode") == 0)
        experiment.mode = defaultMode(experiment);
    TRY(checkExperiment(experiment));
    TRY(checkEffect(app, experimentFields(), experiment));
    return record(experiment, options.record);
}

} // namespace

Action prepareRun(CLI::App& app)
{
    const auto options = std::make_shared<RunOptions>();
    addFieldOptions(app, experimentFields(), options->experiment);
    addRecordOptions(app, options->record);
    return [options, &app] { return run(app, *options); };
}

} // namespace cli
