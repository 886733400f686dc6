#include "app/cli/commands/command.h"
#include "app/cli/options/choice.h"
#include "app/cli/text/gpu_text.h"
#include "app/cli/text/kernel_text.h"
#include "app/cli/text/notes_text.h"
#include "app/cli/text/output.h"
#include "app/cli/text/run_file.h"
#include "app/cli/text/why_text.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct AnalyzeOptions
{
    std::string file;
    int iteration = -1;
    bool json = false;
    bool kernels = false, notes = false, why = false;
    bool definitions = false;
    std::string op; // "": all kinds
    int device = -1;
};

struct Kernels
{
    GpuActivity activity;
    KernelTable table;
};

Result<std::optional<OpKind>> kindOf(const std::string& letters)
{
    if (letters.empty())
        return std::nullopt;
    const auto kind = parseKindShortName(letters);
    if (!kind)
        return fail(kind.error().code, "--op: " + kind.error().message);
    return *kind;
}

Result<std::optional<Kernels>> kernelsOf(const AnalyzeOptions& options, const Run& run,
                                         const GpuTrace& trace)
{
    if (!options.kernels)
        return std::nullopt;
    const auto kind = TRY(kindOf(options.op));
    Kernels kernels{GpuActivity(run, trace), {}};
    if (kernels.activity.isEmpty())
        return fail(Error::Code::NotFound,
                    fmt::format("{} has no kernels. {}", options.file, whyNoKernels(run.info)));
    KernelFilter filter;
    filter.op = kind;
    filter.iteration = options.iteration;
    if (options.device >= 0)
        filter.device = DeviceId{options.device};
    kernels.table = kernelTable(run, kernels.activity, filter);
    return kernels;
}

Result<int> analyze(const AnalyzeOptions& options)
{
    if (options.definitions) {
        printText(options.json ? jsonText(toJson(definitionsData())) : definitionsText());
        return 0;
    }
    const auto run = TRY(openRun(options.file));
    const auto numbers = metrics(run, options.iteration);
    if (!numbers)
        return fail(numbers.error().code, options.file + ": " + numbers.error().message);
    const auto gpu = TRY(readGpuTrace(options.file));
    const auto kernels = TRY(kernelsOf(options, run, gpu));
    Sheet sheet;
    sheet.data(fields(runMeasures(), ReportedRun{run, *numbers}));
    sheet.sentence(runHeading(run));
    addSummary(run, *numbers, sheet);
    addGpu(run, gpu, sheet);
    addDevices(run, *numbers, sheet);
    addBubbles(run, *numbers, sheet);
    if (options.why) {
        const auto report = whyReport(run, options.iteration);
        if (!report)
            return fail(report.error().code, options.file + ": " + report.error().message);
        sheet.lines(whyText(run, *report));
        sheet.data("why", whyData(run, *report));
    }
    if (kernels)
        addKernels(kernels->activity, kernels->table, sheet);
    if (options.notes)
        addNotes(run, TRY(readNotes(options.file)), sheet);
    print(sheet, options.json);
    return 0;
}
} // namespace

Action prepareAnalyze(CLI::App& app)
{
    const auto options = std::make_shared<AnalyzeOptions>();
    CLI::Option* file = app.add_option("RUN.sqlite", options->file, "Recorded run");
    file->required();
    app.add_option("--iteration", options->iteration,
                   "Index of the iteration (default: the median iteration)")
        ->type_name("K")
        ->check(between(0, 1000000));
    auto* kernels
        = app.add_flag("--kernels", options->kernels, "Also print GPU activity by op type");
    app.add_option("--op", options->op, "Only kernels of ops of this type: F, B, W, OPT ...")
        ->type_name("KIND")
        ->needs(kernels);
    app.add_option("--device", options->device, "Only kernels of this device")
        ->type_name("D")
        ->check(between(0, 1000000))
        ->needs(kernels);
    app.add_flag("--why", options->why,
                 "Also print the parts of the critical path, the lower bound, the effect of each "
                 "change, and the fastest scheme");
    app.add_flag("--notes", options->notes, "Also print the notes of the run");
    app.add_flag("--json", options->json, "Print JSON");
    app.add_flag_callback(
        "--definitions",
        [options, file] {
            options->definitions = true;
            file->required(false);
        },
        "Print the formula and the source of every number; needs no run");
    return [options] { return analyze(*options); };
}

} // namespace cli
