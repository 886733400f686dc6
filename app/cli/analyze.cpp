#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/gpu_text.h"
#include "app/cli/output.h"
#include "app/cli/run_file.h"
#include "app/cli/run_json.h"
#include "app/cli/run_text.h"
#include "profiler/analysis/explainer.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <utility>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct Options
{
    std::string file;
    int iteration = -1;
    bool json = false;
};

std::string asText(const Run& run, const RunMetrics& metrics, const GpuTrace& gpu)
{
    const Explainer explainer(run, metrics.iteration);
    std::string text = headingOf(run) + "\n" + headlineOf(run, metrics) + "\n";
    if (const std::string loss = lossText(run.timeline); loss != "-")
        text += "loss " + loss + "\n";
    text += gpuText(run, gpu);
    text
        += fmt::format("\ntimes in {}, per device:\n", timeUnitOf(run)) + deviceTable(run, metrics);
    if (const std::string memory = memoryTable(run, metrics); !memory.empty())
        text += "\nmemory at the peak:\n" + memory;
    return text + "\n" + bubbleText(run, explainer.bubbles()) + "\n"
        + pathText(run, explainer.criticalPath());
}

std::string asJson(const Run& run, const RunMetrics& metrics, const GpuTrace& gpu)
{
    const Explainer explainer(run, metrics.iteration);
    auto json = runJson(run, metrics);
    json["bubbles"] = bubblesJson(run, explainer.bubbles());
    json["critical_path"] = pathJson(run, explainer.criticalPath());
    if (auto about = gpuJson(run, gpu); !about.is_null())
        json["gpu"] = std::move(about);
    return json.dump(2) + "\n";
}

Result<int> analyze(const Options& options)
{
    const auto run = openRun(options.file);
    if (!run)
        return tl::unexpected(run.error());
    const auto numbers = metrics(*run, options.iteration);
    if (!numbers)
        return fail(numbers.error().code, options.file + ": " + numbers.error().message);
    const auto gpu = readGpuTrace(options.file);
    if (!gpu)
        return tl::unexpected(gpu.error());
    printText(options.json ? asJson(*run, *numbers, *gpu) : asText(*run, *numbers, *gpu));
    return 0;
}
} // namespace

Action prepareAnalyze(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("FILE", options->file, "A recorded run")->type_name("RUN.sqlite")->required();
    app.add_option("--iteration", options->iteration,
                   "Which one, from 0 [the median of the measured ones]")
        ->type_name("K")
        ->check(between(0, 1000000));
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return analyze(*options); };
}

} // namespace cli
