#include "app/cli/commands/command.h"
#include "app/cli/commands/record.h"
#include "app/cli/text/output.h"
#include "engine/exec/run_experiment.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace cli {

using namespace engine;

namespace {
struct RepeatOptions
{
    std::string file;
    RecordOptions record;
};

// The toml itself, or what a run has stored of its own.
Result<std::string> experimentText(const std::string& file)
{
    auto text = readFile(file);
    if (!text || !text->starts_with("SQLite format 3"))
        return text;
    auto run = profiler::readRun(file);
    if (!run)
        return tl::unexpected(run.error());
    if (run->info.experiment.empty())
        return fail(Error::Code::Unsupported,
                    fmt::format("{} has no experiment to repeat: it was {}; repeat it with: {}",
                                file, modeAdjective(run->info.mode), run->info.command));
    return run->info.experiment;
}

Result<int> repeat(const RepeatOptions& options)
{
    const auto text = experimentText(options.file);
    if (!text)
        return tl::unexpected(text.error());
    const auto experiment = experimentFromToml(*text);
    if (!experiment)
        return fail(Error::Code::Corrupt, options.file + ": " + experiment.error().message);
    if (experiment->mode != Mode::Emulate && experiment->mode != Mode::Live)
        return fail(Error::Code::Unsupported,
                    fmt::format("{}: mode {} does not train; use mode = \"emulate\" or \"live\", "
                                "or bscope simulate",
                                options.file, modeName(experiment->mode)));
    return record(*experiment, options.record);
}
} // namespace

Action prepareExperiment(CLI::App& app)
{
    const auto options = std::make_shared<RepeatOptions>();
    app.add_option("FILE", options->file, "An experiment, or a run to repeat")
        ->type_name("FILE.toml|RUN.sqlite")
        ->required();
    addRecordOptions(app, options->record);
    return [options] { return repeat(*options); };
}

} // namespace cli
