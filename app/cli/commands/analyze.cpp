#include "app/cli/commands/command.h"
#include "app/cli/options/choice.h"
#include "app/cli/text/gpu_text.h"
#include "app/cli/text/kernel_text.h"
#include "app/cli/text/notes_text.h"
#include "app/cli/text/output.h"
#include "app/cli/text/run_file.h"
#include "app/cli/text/run_json.h"
#include "app/cli/text/run_text.h"
#include "app/cli/text/why_text.h"
#include "engine/base/try.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/explainer.h"
#include "profiler/report/definitions.h"
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

std::string asText(const Run& run, const RunMetrics& metrics, const GpuTrace& gpu)
{
    const Explainer explainer(run, metrics.iteration);
    std::string text = headingOf(run) + "\n" + summaryLine(run, metrics) + "\n";
    if (const std::string loss = lossText(run.timeline); loss != "-")
        text += "loss " + loss + "\n";
    if (const std::string norm = gradientNormText(run.timeline); norm != "-")
        text += "gradient norm " + norm + "\n";
    text += gpuText(run, gpu);
    text
        += fmt::format("\ntimes in {}, per device:\n", timeUnitOf(run)) + deviceTable(run, metrics);
    if (const std::string memory = memoryTable(run, metrics); !memory.empty())
        text += "\nmemory at the peak:\n" + memory;
    if (const std::string memory = gpuMemoryTable(run.info); !memory.empty())
        text += "\nmemory of the GPUs at the end, by owner:\n" + memory;
    return text + "\n" + bubbleText(run, explainer.bubbles()) + "\n"
        + pathText(run, explainer.criticalPath());
}

nlohmann::ordered_json asJson(const Run& run, const RunMetrics& metrics, const GpuTrace& gpu)
{
    const Explainer explainer(run, metrics.iteration);
    auto json = runJson(run, metrics);
    json["bubbles"] = bubblesJson(run, explainer.bubbles());
    json["critical_path"] = pathJson(run, explainer.criticalPath());
    if (auto about = gpuJson(run, gpu); !about.is_null())
        json["gpu"] = std::move(about);
    return json;
}

nlohmann::ordered_json definitionsJson()
{
    auto all = nlohmann::ordered_json::array();
    for (const Definition& one : definitions())
        all.push_back({{"term", one.term},
                       {"formula", one.formula},
                       {"meaning", one.meaning},
                       {"source", one.source}});
    return all;
}

Result<int> analyze(const AnalyzeOptions& options)
{
    if (options.definitions) {
        printText(options.json ? jsonText(definitionsJson()) : definitionsText());
        return 0;
    }
    const auto run = TRY(openRun(options.file));
    const auto numbers = metrics(run, options.iteration);
    if (!numbers)
        return fail(numbers.error().code, options.file + ": " + numbers.error().message);
    const auto gpu = TRY(readGpuTrace(options.file));
    const auto kernels = TRY(kernelsOf(options, run, gpu));
    std::vector<Note> notes;
    if (options.notes)
        notes = TRY(readNotes(options.file));
    std::optional<WhyReport> why;
    if (options.why) {
        auto report = whyReport(run, options.iteration);
        if (!report)
            return fail(report.error().code, options.file + ": " + report.error().message);
        why = *std::move(report);
    }
    std::string text;
    if (options.json) {
        auto json = asJson(run, *numbers, gpu);
        if (why)
            json["why"] = whyJson(run, *why);
        if (kernels)
            addKernels(json, kernels->activity, kernels->table);
        if (options.notes)
            json["notes"] = notesJson(run, notes);
        text = jsonText(json);
    } else {
        text = asText(run, *numbers, gpu);
        if (why)
            text += whyText(run, *why);
        if (kernels)
            text += kernelText(kernels->activity, kernels->table);
        if (options.notes)
            text += notesText(run, notes);
    }
    printText(text);
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
