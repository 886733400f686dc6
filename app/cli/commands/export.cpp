#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"
#include "profiler/export/exporters.h"
#include "profiler/figure/layout.h"
#include "profiler/figure/scene.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/trace_store.h"
#include "profiler/why/why_text.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
// The names of two formats that are not in exporters(): the figure that `bubblescope figure` draws
// with default options, and the report on one run.
constexpr const char* kTikz = "tikz";
constexpr const char* kHtml = "html";

struct ExportOptions
{
    std::string file, format;
    OutputOptions output;
};

Result<std::string> drawn(const Run& run, const std::string& format)
{
    const Run* const runs[] = {&run};
    if (format == kHtml)
        return htmlReport(runs, runFindings(run, whyReport(run, -1, WhySchemes::LeaveOut)));
    const auto scene = TRY(layoutFigure(runs, {}));
    return toTikz(scene);
}

std::vector<std::string> formatNames()
{
    std::vector<std::string> names;
    for (const Exporter& exporter : exporters())
        names.emplace_back(exporter.name);
    names.emplace_back(kTikz);
    names.emplace_back(kHtml);
    return names;
}

std::string formatHelp()
{
    std::string help;
    for (const Exporter& exporter : exporters())
        help += std::string(exporter.name) + ": " + std::string(exporter.title) + "; ";
    return help + kTikz + ": Figure for LaTeX; " + kHtml
        + ": Report with figure and tables, one self-contained page";
}

Result<int> exportRun(const ExportOptions& options)
{
    const auto run = TRY(openRun(options.file));
    const Exporter* const exporter = findExporter(options.format);
    const auto text = TRY(exporter ? Result<std::string>()
                                   : inContext(options.file, drawn(run, options.format)));
    const auto gpu = [&](const std::function<void(const GpuTrace&)>& use) {
        return readGpuPieces(options.file, use);
    };
    return (exporter
                ? writeOutput(options.output,
                              [&](const TextSink& sink) { return exporter->write(run, gpu, sink); })
                : writeOutput(options.output, text))
        .map([] { return 0; });
}
} // namespace

Action prepareExport(CLI::App& app)
{
    const auto options = std::make_shared<ExportOptions>();
    app.add_option("RUN.sqlite", options->file, "Recorded run")->required();
    addOption(app, "--format FORMAT", options->format, formatHelp())
        ->check(oneOf(formatNames()))
        ->required();
    addOutputOptions(app, options->output, "Write to a file (default: standard output)");
    return [options] { return exportRun(*options); };
}

} // namespace cli
