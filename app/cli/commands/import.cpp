#include "profiler/import/import.h"

#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/timeline/run.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/trace_store.h"
#include "resources/resources.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct ImportOptions
{
    std::vector<std::string> files;
    std::string rules; // "": only the built-in rules
    bool printRules = false, json = false;
    OutputOptions output;
};

Result<Rules> readRules(const std::string& file)
{
    if (file.empty())
        return Rules::shipped();
    const auto text = TRY(readFile(file));
    return Rules::parse(text, file);
}

Result<ImportedRun> importShowingProgress(const ImportOptions& options, const Rules& rules)
{
    const Interrupt interrupt;
    LongTask task("reading traces");
    const auto progress = [&](const ImportProgress& at) {
        constexpr double kMega = 1e6;
        const double seconds = task.seconds();
        const double rate = seconds > 0 ? static_cast<double>(at.bytes) / seconds : 0;
        const double left = rate > 0 ? static_cast<double>(at.allBytes - at.bytes) / rate : 0;
        task.next(fmt::format("reading {} ({:.0f} MB/s)", at.file, rate / kMega), left);
        return !interrupt.requested();
    };
    const std::vector<std::filesystem::path> paths(options.files.begin(), options.files.end());
    return importTraces(paths, rules, progress);
}

// Writes the run and returns its file. With --json but without -o, writes nothing and returns "",
// so that a folder can be checked before it is imported.
Result<std::string> save(const ImportOptions& options, ImportedRun& imported)
{
    if (options.output.file.empty() && options.json)
        return std::string();
    const std::vector<std::filesystem::path> inputs(options.files.begin(), options.files.end());
    auto file
        = TRY(options.output.file.empty() ? createRunFile("import-" + imported.run.info.scheme)
                                          : createOutput(options.output, inputs));
    const std::string target = file.target().string();
    TRY(writeRun(std::move(file), imported.run, std::move(imported.gpu)));
    return target;
}

Result<int> importRun(const ImportOptions& options)
{
    if (options.printRules) {
        printText(resources::find("import/rules.toml"));
        return 0;
    }
    if (options.files.empty())
        return invalid("no trace is given: name trace files or a folder of them");
    const auto rules = TRY(readRules(options.rules));
    auto imported = TRY(importShowingProgress(options, rules));
    imported.run.info.program = buildId();
    const auto file = TRY(save(options, imported));
    Sheet report = importSheet(imported.run);
    if (!file.empty()) {
        const std::string open = openCommand(file);
        report.sentence(
            fmt::format("written to {}{}", file, open.empty() ? "" : "; open it with " + open));
    }
    cli::print(report, options.json);
    return 0;
}
} // namespace

Action prepareImport(CLI::App& app)
{
    const auto options = std::make_shared<ImportOptions>();
    app.add_option("FILE|FOLDER", options->files,
                   "Traces (.json, .sqlite, also compressed or in an archive) or folders of them");
    addOption(app, "--rules RULES.toml", options->rules,
              "Rules that precede the built-in ones (see --print-rules)");
    app.add_flag("--print-rules", options->printRules, "Print the built-in rules");
    app.add_flag("--json", options->json, "Print the report as JSON; writes a run only with -o");
    addOutputOptions(app, options->output,
                     "Run to write (default: a new file in the folder of runs)", "RUN.sqlite");
    return [options] { return importRun(*options); };
}

} // namespace cli
