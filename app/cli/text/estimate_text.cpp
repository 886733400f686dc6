#include "app/cli/text/estimate_text.h"

#include "app/cli/text/output.h"
#include "app/cli/text/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace cli {

using namespace engine;
using nlohmann::ordered_json;

namespace {
constexpr double kGibi = 1 << 30;

// Returns a cell of the table in GiB: "78.2 fits" or, above the limit, "78.2, 3.0 too much".
std::string memoryCell(std::optional<double> bytes, double limit)
{
    if (!bytes)
        return "-";
    return *bytes <= limit
        ? fmt::format("{:.1f} fits", *bytes / kGibi)
        : fmt::format("{:.1f}, {:.1f} too much", *bytes / kGibi, (*bytes - limit) / kGibi);
}

std::string rowsTable(const BpipeQuestion& question, const std::vector<BpipeRow>& rows)
{
    Table table({{"b"},
                 {"N"},
                 {"stage MFU %"},
                 {"attention", Table::Align::Left},
                 {"MFU %"},
                 {"speed-up"},
                 {"break-even"},
                 {"state GiB"},
                 {"stash GiB"},
                 {"1F1B GiB"},
                 {"BPipe GiB"},
                 {"transfer of forward ms"}});
    for (const BpipeRow& row : rows)
        table.add({std::to_string(row.microBatchSize), fmt::format("{:.4g}", row.microBatches),
                   fmt::format("{:.1f}", 100 * row.stageMfu), std::string(row.kernels.name),
                   fmt::format("{:.1f}", 100 * row.mfu), fmt::format("{:.3f}", row.speedUp),
                   fmt::format("{:.4f}", row.breakEven),
                   fmt::format("{:.1f}", row.memory.state / kGibi),
                   fmt::format("{:.2f}", row.memory.stash / kGibi),
                   memoryCell(row.memory.oneFOneB, question.usableMemory),
                   memoryCell(row.memory.bpipe, question.usableMemory),
                   fmt::format("{:.1f} of {:.1f}", 1e3 * row.transfer, 1e3 * row.forward)});
    return table.text();
}

ordered_json rowJson(const BpipeRow& row)
{
    const auto bytes = [](double value) { return std::llround(value); };
    return {
        {"micro_batch_size", row.microBatchSize},
        {"micro_batches", row.microBatches},
        {"fullest_device", row.memory.device},
        {"state_bytes", bytes(row.memory.state)},
        {"stash_bytes", bytes(row.memory.stash)},
        {"one_f_one_b_bytes", bytes(row.memory.oneFOneB)},
        {"fits_without", row.fitsWithout},
        {"bpipe_bytes", row.memory.bpipe ? ordered_json(bytes(*row.memory.bpipe)) : ordered_json()},
        {"fits_with", row.fitsWith},
        {"kernel_rule", row.kernels.name},
        {"heads_per_rank", row.headsPerRank},
        {"stage_mfu", row.stageMfu},
        {"mfu", row.mfu},
        {"speed_up", row.speedUp},
        {"break_even", row.breakEven},
        {"transfer_seconds", row.transfer},
        {"forward_seconds", row.forward}};
}
} // namespace

std::string estimateText(const BpipeQuestion& question, const BpipeAnswer& answer,
                         const std::optional<UtilisationEstimate>& use)
{
    const EstimateInput& input = question.input;
    const ModelOnHardware& on = input.on;
    std::string text = answer.verdict + "\n\n";
    text += fmt::format(
        "{} ({:.1f} B parameters) on {}: D = {}, t = {}, W = {}, {} sequences per "
        "iteration\nusable memory {:.1f} GiB; sizes of the fullest device ({}); stage "
        "MFU {}\n\n",
        on.model.name, parameterCount(on.model) / 1e9, on.hardware.name, input.stages,
        on.setup.tensorParallel, on.setup.dataParallel, input.globalBatch,
        question.usableMemory / kGibi, answer.rows.front().memory.device,
        question.stageMfu.empty() ? "from the roofline, not measured" : "as given");
    text += rowsTable(question, answer.rows);
    text += "\nspeed-up: upper bound, compared with the first row. break-even: the required growth "
            "of the stage's MFU\ntransfer: one stash over the slowest link between partners, and "
            "the forward that hides it\n";
    if (!question.mapping.isOneNode())
        text += "mapping: " + describe(question.mapping) + "\n";
    if (use)
        text += fmt::format("the iteration's MFU {:.2f} %, HFU {:.2f} % (exact count {:.2f} %)\n",
                            100 * use->mfu, 100 * use->hfu, 100 * use->strictHfu);
    return text;
}

std::string estimateJson(const BpipeQuestion& question, const BpipeAnswer& answer,
                         const std::optional<UtilisationEstimate>& use)
{
    const EstimateInput& input = question.input;
    const ModelOnHardware& on = input.on;
    ordered_json json{
        {"model", on.model.name},
        {"parameters", parameterCount(on.model)},
        {"hardware", on.hardware.name},
        {"devices", input.stages},
        {"chunks", input.chunks},
        {"tensor_parallel", on.setup.tensorParallel},
        {"data_parallel", on.setup.dataParallel},
        {"global_batch", input.globalBatch},
        {"usable_bytes", std::llround(question.usableMemory)},
        {"mapping",
         question.mapping.isOneNode() ? ordered_json() : ordered_json(describe(question.mapping))},
        {"stage_mfu_from", question.stageMfu.empty() ? "roofline" : "given"},
        {"model_flops", modelFlops(on.model, input.globalBatch)},
        {"worth_it", answer.isWorthIt},
        {"verdict", answer.verdict}};
    json["rows"] = ordered_json::array();
    for (const BpipeRow& row : answer.rows)
        json["rows"].push_back(rowJson(row));
    json["mfu"] = use ? ordered_json(use->mfu) : ordered_json();
    json["hfu"] = use ? ordered_json(use->hfu) : ordered_json();
    json["strict_hfu"] = use ? ordered_json(use->strictHfu) : ordered_json();
    return jsonText(json);
}

} // namespace cli
