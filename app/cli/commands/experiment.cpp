#include "app/cli/commands/command.h"
#include "app/cli/commands/record.h"
#include "app/cli/options/field_options.h"
#include "app/cli/text/output.h"
#include "engine/base/new_file.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>

namespace cli {

using namespace engine;

namespace {
struct RepeatOptions
{
    std::string file;
    TurnOptions turns;
    RecordOptions record;
    std::optional<Trace> trace; // nullopt: the level that the file states
};

// Returns the TOML of an experiment from its file, or from a run that stores it.
Result<std::string> experimentText(const std::string& file)
{
    if (!isSqlite(file))
        return readFile(file);
    auto run = TRY(profiler::readRun(file));
    if (run.info.experiment.empty())
        return fail(Error::Code::Unsupported,
                    fmt::format("{} has no experiment to repeat: it was {}; {}", file,
                                modeAdjective(run.info.mode),
                                run.info.command.empty() ? "import its traces again, or give "
                                                           "--scheme and --model to bscope run"
                                                         : "repeat it with: " + run.info.command));
    return run.info.experiment;
}

Result<int> repeat(const RepeatOptions& options)
{
    const auto text = TRY(experimentText(options.file));
    if (const auto tables = parseToml(text, options.file); tables && tables->empty())
        return fail(Error::Code::Corrupt,
                    options.file + " has no keys: write an experiment, as in sample_runs/*.toml");
    auto experiment = experimentFromToml(text);
    if (!experiment)
        return fail(Error::Code::Corrupt, options.file + ": " + experiment.error().message);
    if (experiment->mode != Mode::Emulate && experiment->mode != Mode::Live)
        return fail(Error::Code::Unsupported,
                    fmt::format("{}: mode {} does not train; use mode = \"emulate\" or \"live\", "
                                "or bscope simulate",
                                options.file, modeName(experiment->mode)));
    experiment->trace = options.trace.value_or(experiment->trace);
    return record(TRY(experimentsOf(*experiment, options.turns)), options.record);
}
} // namespace

Action prepareExperiment(CLI::App& app)
{
    const auto options = std::make_shared<RepeatOptions>();
    app.add_option("FILE.toml|RUN.sqlite", options->file, "Experiment file, or run to repeat")
        ->required();
    addTurnOptions(app, options->turns, "as in the file");
    addExperimentOption(app, experimentField("--trace"), "as in the file",
                        [options](const Experiment& typed) { options->trace = typed.trace; });
    addRecordOptions(app, options->record);
    return [options] { return repeat(*options); };
}

} // namespace cli
