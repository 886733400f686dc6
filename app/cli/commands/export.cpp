#include "app/cli/commands/command.h"
#include "app/cli/options/choice.h"
#include "app/cli/options/output_options.h"
#include "app/cli/text/run_file.h"
#include "profiler/export/exporters.h"
#include "profiler/figure/layout.h"
#include "profiler/figure/tikz.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
constexpr const char* kTikz = "tikz"; // the only figure format that is text

struct ExportOptions
{
    std::string file, format;
    OutputOptions output;
};

// The figure of `bubblescope figure` with default options.
Result<std::string> exportTikz(const Run& run)
{
    const Run* const runs[] = {&run};
    const auto scene = layoutFigure(runs, {});
    if (!scene)
        return tl::unexpected(scene.error());
    return toTikz(*scene);
}

std::vector<std::string> formatNames()
{
    std::vector<std::string> names;
    for (const Exporter& exporter : exporters())
        names.emplace_back(exporter.name);
    names.emplace_back(kTikz);
    return names;
}

std::string formatHelp()
{
    std::string help;
    for (const Exporter& exporter : exporters())
        help += std::string(exporter.name) + ": " + std::string(exporter.title) + "; ";
    return help + kTikz + ": Figure for LaTeX";
}

Result<int> exportRun(const ExportOptions& options)
{
    const auto run = openRun(options.file);
    if (!run)
        return tl::unexpected(run.error());
    const Exporter* const exporter = findExporter(options.format);
    const auto tikz = exporter ? Result<std::string>() : exportTikz(*run);
    if (!tikz)
        return tl::unexpected(tikz.error());
    const auto gpu = [&](const std::function<void(const GpuTrace&)>& use) {
        return readGpuPieces(options.file, use);
    };
    return (exporter ? writeOutput(
                options.output,
                [&](const TextSink& sink) { return exporter->write(*run, gpu, sink); })
                     : writeOutput(options.output, *tikz))
        .map([] { return 0; });
}
} // namespace

Action prepareExport(CLI::App& app)
{
    const auto options = std::make_shared<ExportOptions>();
    app.add_option("FILE", options->file, "Recorded run")->type_name("RUN.sqlite")->required();
    app.add_option("--format", options->format, formatHelp())
        ->type_name("FORMAT")
        ->check(oneOf(formatNames()))
        ->required();
    addOutputOptions(app, options->output, "Write to a file (default: standard output)");
    return [options] { return exportRun(*options); };
}

} // namespace cli
