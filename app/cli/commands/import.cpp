#include "profiler/import/import.h"

#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/median.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/timeline/run.h"
#include "profiler/export/exporters.h"
#include "profiler/report/sheet.h"
#include "profiler/store/trace_store.h"
#include "resources/resources.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
double shareOf(const ImportReport& report, std::int64_t time)
{
    return report.time > 0 ? ratio(time, report.time) : 0;
}

std::string milliseconds(std::int64_t ns)
{
    return fmt::format("{:.3f}", ns / 1e6);
}

std::string summaryOf(const Run& run, const ImportReport& report)
{
    std::string text = fmt::format("{}: {} rank{}, {} iteration{}, {} kernels", report.program,
                                   report.ranks.size(), report.ranks.size() == 1 ? "" : "s",
                                   run.timeline.iterations.size(),
                                   run.timeline.iterations.size() == 1 ? "" : "s", report.kernels);
    if (!report.iterationsFrom.empty())
        text += fmt::format(" (iterations by {})", report.iterationsFrom);
    text += fmt::format("\n{:.1f} % of the {} time is classified", 100 * report.classified(),
                        report.onGpu ? "GPU" : "op");
    text += report.stagesKnown ? fmt::format("; {} stages", run.schedule.shape.stages)
                               : std::string("; stages unknown");
    const std::int64_t together = std::max<std::int64_t>(1, report.tensorParallel)
        * std::max<std::int64_t>(1, report.contextParallel);
    if (together > 1)
        text += fmt::format("; {} ranks compute each stage together (one is shown)", together);
    if (report.stagesKnown && run.info.scheme != "imported")
        text += fmt::format("; ops in the order of {}", run.info.label);
    if (report.replayError)
        text += fmt::format("\nsimulated with its median op times: error {:+.1f} %",
                            100 * *report.replayError);
    return text + "\n";
}

using Rule = std::pair<const ImportReport*, const ImportReport::Rule*>;
constexpr std::array kRules{
    Measure(column("", "rule"), [](const Rule& r) { return r.second->name; }),
    Measure(column("", "matches"), [](const Rule& r) { return r.second->matches; }),
    Measure(column("", "time", Unit::Time, 3), [](const Rule& r) { return r.second->time; }),
    Measure(column("", "share", Unit::Share),
            [](const Rule& r) { return shareOf(*r.first, r.second->time); }),
    Measure(column("", "confidence"), [](const Rule& r) { return r.second->confidence; }),
    Measure(column("", "what"), [](const Rule& r) { return r.second->title; }),
};

using LeftOut = ImportReport::LeftOut;
constexpr std::array kLeftOutWork{
    Measure(column("", "left out"), Of<&LeftOut::what>()),
    Measure(column("", "count"), Of<&LeftOut::count>()),
    Measure(column("", "time", Unit::Time, 3), Of<&LeftOut::time>()),
};

// Describes how much the clocks of the hosts differ and how precisely they were aligned. Returns ""
// for one host.
std::string clockScatter(const ImportReport& report)
{
    if (report.clocks.empty())
        return {};
    std::vector<std::int64_t> offsets{0}, spreads; // the first rank's host has offset 0
    for (const ImportReport::Clock& clock : report.clocks) {
        offsets.push_back(clock.offset);
        spreads.push_back(clock.spread);
    }
    const auto [least, most] = std::ranges::minmax(offsets);
    return fmt::format(
        "clocks of {} hosts: before alignment, median offset from the first host {} ms, "
        "range {} ms; after alignment, median error {:.1f} µs, largest {:.1f} µs\n",
        offsets.size(), milliseconds(medianOf(offsets)), milliseconds(most - least),
        medianOf(spreads) / 1e3, std::ranges::max(spreads) / 1e3);
}

std::string importText(const Run& run, const std::string& file)
{
    const ImportReport& report = *run.info.import;
    std::vector<Rule> rules;
    for (const ImportReport::Rule& rule : report.rules)
        rules.emplace_back(&report, &rule);
    std::string text = summaryOf(run, report) + "\n" + Table(kRules, rules).text();
    if (!report.leftOut.empty())
        text += "\n" + Table(kLeftOutWork, report.leftOut).text();
    for (const ImportReport::Clock& clock : report.clocks)
        text += fmt::format("clock of {}: {:+.3f} ms, {:+.2f} ppm, spread {:.1f} µs ({} pairs)\n",
                            clock.host, clock.offset / 1e6, clock.drift, clock.spread / 1e3,
                            clock.pairs);
    text += clockScatter(report);
    if (!report.missingRanks.empty())
        text += fmt::format("missing ranks: {}\n", fmt::join(report.missingRanks, ", "));
    for (const std::string& warning : report.warnings)
        text += "note: " + warning + "\n";
    if (!file.empty()) {
        const std::string open = openCommand(file);
        text += fmt::format("\nwritten to {}{}\n", file,
                            open.empty() ? "" : "; open it with " + open);
    }
    return text;
}

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
    printText(options.json ? importJson(imported.run) : importText(imported.run, file));
    return 0;
}
} // namespace

Action prepareImport(CLI::App& app)
{
    const auto options = std::make_shared<ImportOptions>();
    app.add_option("FILE|FOLDER", options->files,
                   "Traces (.json, .sqlite, also compressed or in an archive) or folders of them");
    app.add_option("--rules", options->rules,
                   "Rules that precede the built-in ones (see --print-rules)")
        ->type_name("RULES.toml");
    app.add_flag("--print-rules", options->printRules, "Print the built-in rules");
    app.add_flag("--json", options->json, "Print the report as JSON; writes a run only with -o");
    addOutputOptions(app, options->output,
                     "Run to write (default: a new file in the folder of runs)", "RUN.sqlite");
    return [options] { return importRun(*options); };
}

} // namespace cli
