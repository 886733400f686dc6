#include "engine/cost/estimate.h"

#include "app/cli/commands/command.h"
#include "app/cli/options/choice.h"
#include "app/cli/options/model_options.h"
#include "app/cli/text/output.h"
#include "app/cli/text/table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

namespace cli {

using namespace engine;
using nlohmann::ordered_json;

namespace {
constexpr double kGibi = 1 << 30;

ModelOptions defaults()
{
    ModelOptions model;
    model.model = "gpt3-96b";
    model.hardware = "a100-sxm-80";
    return model;
}

struct EstimateOptions
{
    ModelOptions model = defaults();
    int stages = 8;
    int globalBatch = 128;
    std::vector<int> sizes{1, 2, 4};
    std::vector<double> stageMfu; // percent, one value per micro-batch size
    double reserve = 5, iterationSeconds = 0;
    bool json = false;
};

// The results for one micro-batch size.
struct Row
{
    int size = 1;
    double microBatches = 0, stageMfu = 0, mfu = 0, speedUp = 1, breakEven = 1;
    MemoryEstimate memory;
};

EstimateInput inputOf(const EstimateOptions& options, const ModelOnHardware& on, int size)
{
    EstimateInput input{on, options.stages, static_cast<double>(options.globalBatch)};
    input.on.setup.microBatchSize = size;
    return input;
}

std::vector<Row> rowsOf(const EstimateOptions& options, const ModelOnHardware& on)
{
    std::vector<Row> rows;
    for (std::size_t i = 0; i < options.sizes.size(); ++i) {
        const EstimateInput input = inputOf(options, on, options.sizes[i]);
        Row row;
        row.size = options.sizes[i];
        row.microBatches = microBatchesOf(input);
        row.memory = estimateMemory(input);
        row.stageMfu
            = options.stageMfu.empty() ? rooflineStageMfu(input) : options.stageMfu[i] / 100;
        row.mfu = pipelineMfu(input, row.stageMfu);
        row.breakEven = breakEven(input, options.sizes.front(), row.size);
        row.speedUp = rows.empty() ? 1 : row.mfu / rows.front().mfu;
        rows.push_back(row);
    }
    return rows;
}

double usable(const EstimateOptions& options, const ModelOnHardware& on)
{
    return on.hardware.memory * (1 - options.reserve / 100);
}

std::string fit(double bytes, double limit)
{
    return fmt::format("{:.1f} {}", bytes / kGibi, bytes <= limit ? "fits" : "OOM");
}

std::string asText(const EstimateOptions& options, const ModelOnHardware& on,
                   const std::vector<Row>& rows)
{
    const double limit = usable(options, on);
    Table table({{"b"},
                 {"N"},
                 {"state GiB"},
                 {"stash GiB"},
                 {"1F1B GiB"},
                 {"BPipe GiB"},
                 {"stage MFU %"},
                 {"MFU %"},
                 {"speed-up"},
                 {"break-even"}});
    for (const Row& row : rows)
        table.add({std::to_string(row.size), fmt::format("{:.4g}", row.microBatches),
                   fmt::format("{:.1f}", row.memory.state / kGibi),
                   fmt::format("{:.2f}", row.memory.stash / kGibi), fit(row.memory.oneFOneB, limit),
                   fit(row.memory.bpipe, limit), fmt::format("{:.1f}", 100 * row.stageMfu),
                   fmt::format("{:.1f}", 100 * row.mfu), fmt::format("{:.3f}", row.speedUp),
                   fmt::format("{:.4f}", row.breakEven)});
    std::string text = fmt::format(
        "{} ({:.1f} B parameters) on {}: D = {}, t = {}, W = {}, {} sequences per "
        "iteration\nusable memory {:.1f} GiB; sizes of the first device; stage MFU {}\n\n",
        on.model.name, parameterCount(on.model) / 1e9, on.hardware.name, options.stages,
        on.setup.tensorParallel, on.setup.dataParallel, options.globalBatch, limit / kGibi,
        options.stageMfu.empty() ? "from the roofline, not measured" : "as given");
    text += table.text();
    text += "\nspeed-up: upper bound, compared with the first row. break-even: the required growth "
            "of the stage's MFU\n";
    if (options.iterationSeconds > 0) {
        const auto use = utilisation(inputOf(options, on, 1), options.iterationSeconds);
        text += fmt::format(
            "iteration of {:g} s: MFU {:.2f} %, HFU {:.2f} % (exact count {:.2f} %)\n",
            options.iterationSeconds, 100 * use.mfu, 100 * use.hfu, 100 * use.strictHfu);
    }
    return text;
}

ordered_json rowJson(const Row& row, double limit)
{
    const auto bytes = [](double value) { return std::llround(value); };
    return {{"micro_batch_size", row.size},
            {"micro_batches", row.microBatches},
            {"state_bytes", bytes(row.memory.state)},
            {"stash_bytes", bytes(row.memory.stash)},
            {"one_f_one_b_bytes", bytes(row.memory.oneFOneB)},
            {"one_f_one_b_fits", row.memory.oneFOneB <= limit},
            {"bpipe_bytes", bytes(row.memory.bpipe)},
            {"bpipe_fits", row.memory.bpipe <= limit},
            {"stage_mfu", row.stageMfu},
            {"mfu", row.mfu},
            {"speed_up", row.speedUp},
            {"break_even", row.breakEven}};
}

std::string asJson(const EstimateOptions& options, const ModelOnHardware& on,
                   const std::vector<Row>& rows)
{
    const double limit = usable(options, on);
    ordered_json json{{"model", on.model.name},
                      {"parameters", parameterCount(on.model)},
                      {"hardware", on.hardware.name},
                      {"devices", options.stages},
                      {"tensor_parallel", on.setup.tensorParallel},
                      {"data_parallel", on.setup.dataParallel},
                      {"global_batch", options.globalBatch},
                      {"usable_bytes", std::llround(limit)},
                      {"stage_mfu_from", options.stageMfu.empty() ? "roofline" : "given"},
                      {"model_flops", modelFlops(on.model, options.globalBatch)}};
    json["rows"] = ordered_json::array();
    for (const Row& row : rows)
        json["rows"].push_back(rowJson(row, limit));
    json["mfu"] = json["hfu"] = json["strict_hfu"] = ordered_json();
    if (options.iterationSeconds > 0) {
        const auto use = utilisation(inputOf(options, on, 1), options.iterationSeconds);
        json["mfu"] = use.mfu;
        json["hfu"] = use.hfu;
        json["strict_hfu"] = use.strictHfu;
    }
    return json.dump(2) + "\n";
}

Result<void> check(const EstimateOptions& options, const ModelOnHardware& on)
{
    if (!options.stageMfu.empty() && options.stageMfu.size() != options.sizes.size())
        return fail(
            Error::Code::InvalidArgument,
            fmt::format(
                "--stage-mfu has {} values for {} micro-batch sizes; give one for each size",
                options.stageMfu.size(), options.sizes.size()));
    for (const int size : options.sizes)
        if (options.globalBatch % (size * on.setup.dataParallel) != 0)
            return fail(Error::Code::InvalidArgument,
                        fmt::format("--global-batch {} is not divisible by micro-batches of {} "
                                    "sequences on {} copies; use a multiple of {}",
                                    options.globalBatch, size, on.setup.dataParallel,
                                    size * on.setup.dataParallel));
    return checkStages(on.model, options.stages);
}

Result<int> print(const EstimateOptions& options)
{
    const auto on = modelOnHardware(options.model);
    if (!on)
        return tl::unexpected(on.error());
    if (const auto possible = check(options, *on); !possible)
        return tl::unexpected(possible.error());
    const std::vector<Row> rows = rowsOf(options, *on);
    printText(options.json ? asJson(options, *on, rows) : asText(options, *on, rows));
    return 0;
}
} // namespace

Action prepareEstimate(CLI::App& app)
{
    const auto options = std::make_shared<EstimateOptions>();
    app.add_option("-D,--devices", options->stages, "Pipeline devices (default: 8)")
        ->type_name("D")
        ->check(between(1, 65534));
    app.add_option("--data-parallel", options->model.setup.dataParallel,
                   "Data-parallel copies of the pipeline (default: 1)")
        ->type_name("W")
        ->check(between(1, 65535));
    app.add_option("--global-batch", options->globalBatch, "Sequences per iteration (default: 128)")
        ->type_name("B")
        ->check(between(1, 1 << 30));
    app.add_option("--micro-batch-size", options->sizes,
                   "Micro-batch sizes to compare with the first (default: 1,2,4)")
        ->type_name("b,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(between(1, 1 << 20));
    addModelOptions(app, options->model);
    app.add_option(
           "--stage-mfu", options->stageMfu,
           "Measured MFU of one stage in percent, one value per size (default: from the roofline)")
        ->type_name("%,...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(between(0.001, 100.0));
    app.add_option("--reserve", options->reserve,
                   "Percent of the memory reserved for contexts and buffers (default: 5)")
        ->type_name("%")
        ->check(between(0.0, 100.0));
    app.add_option("--iteration-time", options->iterationSeconds,
                   "Also print MFU and HFU of a measured iteration of this many seconds")
        ->type_name("S")
        ->check(between(1e-9, 1e9));
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return print(*options); };
}

} // namespace cli
