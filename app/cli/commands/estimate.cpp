#include "profiler/predict/estimate.h"

#include "app/cli/commands/command.h"
#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/report/sheet.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct EstimateRow
{
    const BpipeRow& row;
    const MemoryCapacity& memory;
};
using E = EstimateRow;

// "78.2 GiB fits" or, above the limit, "78.2 GiB, 3.0 GiB too much"
std::string fitText(std::optional<double> bytes, const MemoryCapacity& memory)
{
    if (!bytes)
        return "-";
    const DeviceFit fit{memory, std::llround(*bytes)};
    return bytesText(*fit.peak) + (fit.fits() ? " fits" : ", " + fit.text());
}

template<auto Member>
Reading ofRow(const E& e)
{
    return e.row.*Member;
}

Reading bytes(std::optional<double> value)
{
    return value ? Reading(std::llround(*value)) : Reading();
}

constexpr std::array kRow{
    Measure(column("micro_batch_size", "b"), ofRow<&BpipeRow::microBatchSize>),
    Measure(column("micro_batches", "N"), ofRow<&BpipeRow::microBatches>),
    Measure({"fullest_device"}, [](const E& e) { return e.row.memory.device; }),
    Measure(column("state_bytes", "state", Unit::Bytes),
            [](const E& e) { return bytes(e.row.memory.state); }),
    Measure(column("stash_bytes", "stash", Unit::Bytes),
            [](const E& e) { return bytes(e.row.memory.stash); }),
    Measure({"one_f_one_b_bytes"}, [](const E& e) { return bytes(e.row.memory.oneFOneB); }),
    Measure({"fits_without"}, ofRow<&BpipeRow::fitsWithout>),
    Measure({"bpipe_bytes"}, [](const E& e) { return bytes(e.row.memory.bpipe); }),
    Measure({"fits_with"}, ofRow<&BpipeRow::fitsWith>),
    Measure(column("kernel_rule", "attention"), [](const E& e) { return e.row.kernels.name; }),
    Measure({"heads_per_rank"}, ofRow<&BpipeRow::headsPerRank>),
    Measure(column("stage_mfu", "stage MFU", Unit::Share), ofRow<&BpipeRow::stageMfu>),
    Measure(column("mfu", "MFU", Unit::Share), ofRow<&BpipeRow::mfu>),
    Measure(column("speed_up", "speed-up", Unit::None, 3), ofRow<&BpipeRow::speedUp>),
    Measure(column("break_even", "break-even", Unit::None, 4), ofRow<&BpipeRow::breakEven>),
    Measure({"transfer_seconds"}, ofRow<&BpipeRow::transfer>),
    Measure({"forward_seconds"}, ofRow<&BpipeRow::forward>),
    Measure(column("", "1F1B"),
            [](const E& e) { return fitText(e.row.memory.oneFOneB, e.memory); }),
    Measure(column("", "BPipe"), [](const E& e) { return fitText(e.row.memory.bpipe, e.memory); }),
    Measure(column("", "transfer of forward"),
            [](const E& e) {
                return fmt::format("{:.1f} of {:.1f} ms", 1e3 * e.row.transfer,
                                   1e3 * e.row.forward);
            }),
};

Sheet estimateSheet(const BpipeQuestion& question, const BpipeAnswer& answer,
                    const std::optional<UtilisationEstimate>& use)
{
    const EstimateInput& input = question.input;
    const ModelOnHardware& on = input.on;
    const std::string mapping = question.mapping.isOneNode() ? "" : describe(question.mapping);
    const MemoryCapacity& memory = question.memory;
    const ReserveRange& holds = answer.holdsFor;
    std::vector<E> rows;
    for (const BpipeRow& row : answer.rows)
        rows.push_back({row, memory});
    Sheet sheet;
    sheet.data(Reading::Fields{{"model", on.model.name},
                               {"parameters", parameterCount(on.model)},
                               {"hardware", on.hardware.name},
                               {"devices", input.stages},
                               {"chunks", input.chunks},
                               {"tensor_parallel", on.setup.tensorParallel},
                               {"data_parallel", on.setup.dataParallel},
                               {"global_batch", input.globalBatch},
                               {"device_memory_bytes", memory.bytes},
                               {"usable_memory_bytes", memory.usable()},
                               {"usable_bytes", memory.usable()},
                               {"reserve", memory.reserve},
                               {"holds_above_reserve", holds.above < 0 ? Reading() : holds.above},
                               {"holds_up_to_reserve", holds.upTo},
                               {"mapping", textOrUnknown(mapping)},
                               {"stage_mfu_from", question.stageMfu.empty() ? "roofline" : "given"},
                               {"model_flops", modelFlops(on.model, input.globalBatch)},
                               {"worth_it", answer.isWorthIt},
                               {"verdict", answer.verdict}});
    sheet.sentence(answer.verdict);
    sheet.sentence(fmt::format(
        "{} ({:.1f} B parameters) on {}: D = {}, t = {}, W = {}, {} sequences per iteration",
        on.model.name, parameterCount(on.model) / 1e9, on.hardware.name, input.stages,
        on.setup.tensorParallel, on.setup.dataParallel, input.globalBatch));
    sheet.sentence(
        fmt::format("{}; sizes of the fullest device ({}); stage MFU {}", memory.text(),
                    answer.rows.front().memory.device,
                    question.stageMfu.empty() ? "from the roofline, not measured" : "as given"));
    sheet.table(Table(kRow, rows), "rows");
    sheet.sentence("speed-up: upper bound, compared with the first row. break-even: the required "
                   "growth of the stage's MFU");
    sheet.sentence("transfer: one stash over the slowest link between partners, and the forward "
                   "that hides it");
    sheet.sentence(mapping.empty() ? "" : "mapping: " + mapping);
    if (use)
        sheet.sentence(
            fmt::format("the iteration's MFU {:.2f} %, HFU {:.2f} % (exact count {:.2f} %)",
                        100 * use->mfu, 100 * use->hfu, 100 * use->strictHfu));
    sheet.data("mfu", use ? Reading(use->mfu) : Reading());
    sheet.data("hfu", use ? Reading(use->hfu) : Reading());
    sheet.data("strict_hfu", use ? Reading(use->strictHfu) : Reading());
    return sheet;
}

using ME = MeasuredEstimate;

constexpr std::array kMeasured{
    Measure(column("micro_batch_size", "b"), Of<&ME::microBatchSize>()),
    Measure(column("micro_batches", "N"), Of<&ME::microBatches>()),
    Measure(column("stage_mfu", "stage MFU", Unit::Share), Of<&ME::stageMfu>()),
    Measure(column("mfu", "MFU", Unit::Share), Of<&ME::mfu>()),
    Measure(column("measured_mfu", "measured", Unit::Share), Of<&ME::measuredMfu>()),
    Measure(column("iteration_seconds", "iteration, s", Unit::None, 4), Of<&ME::predicted>()),
    Measure(column("measured_seconds", "measured, s", Unit::None, 4), Of<&ME::measured>()),
    Measure(column("error", "error", Unit::Change), Of<&ME::error>()),
};

// Estimates every run from its own stage, and the gain of each size over the first.
Result<Sheet> measuredSheet(const std::vector<std::string>& files)
{
    std::vector<ME> rows;
    for (const std::string& file : files) {
        const auto run = TRY(openRun(file));
        rows.push_back(TRY(inContext(file, estimateFrom(run))));
    }
    const auto [least, most]
        = std::ranges::minmax(rows, {}, [](const ME& row) { return row.error(); });
    const auto longer = std::ranges::count_if(rows, [](const ME& r) { return r.error() > 0; });
    Sheet sheet;
    std::string text = fmt::format(
        "The iteration estimated from the stage MFU differs by {:+.1f} to {:+.1f} % from the "
        "measured one, and is longer in {} of {} runs",
        100 * least.error(), 100 * most.error(), longer, rows.size());
    for (std::size_t i = 1; i < rows.size(); ++i)
        text += fmt::format("; b {} -> {}: speed-up {:.3f}, measured {:.3f}",
                            rows.front().microBatchSize, rows[i].microBatchSize,
                            rows[i].mfu / rows.front().mfu,
                            rows[i].measuredMfu / rows.front().measuredMfu);
    sheet.sentence(text + ".");
    sheet.table(Table(kMeasured, rows), "runs");
    sheet.sentence("stage MFU: of the device whose F and B take the longest; transfers, optimizer "
                   "and unequal stages are not estimated");
    return sheet;
}

struct EstimateOptions
{
    std::vector<std::string> runs;
    EstimateRequest request;
    std::string question;
    bool json = false;
};

Result<int> print(const EstimateOptions& options)
{
    if (!options.runs.empty()) {
        cli::print(TRY(measuredSheet(options.runs)), options.json);
        return 0;
    }
    const auto question = TRY(questionOf(options.request));
    const auto answer = TRY(bpipeGain(question));
    std::optional<UtilisationEstimate> use;
    if (options.request.iterationSeconds > 0)
        use = utilisation(question.input, options.request.iterationSeconds);
    if (use && use->hfu > 1)
        return invalid(
            "--iteration-time {:g}: HFU would be {:.4g} %; give the seconds of an iteration "
            "with this batch on these devices",
            options.request.iterationSeconds, 100 * use->hfu);
    cli::print(estimateSheet(question, answer, use), options.json);
    return 0;
}
} // namespace

Action prepareEstimate(CLI::App& app)
{
    const auto options = std::make_shared<EstimateOptions>();
    app.add_option("QUESTION", options->question,
                   "bpipe: whether BPipe with a larger micro-batch is faster (default)")
        ->check(oneOf({"bpipe"}));
    addFieldOptions(app, estimateFields(), options->request);
    auto* runs = addOption(app, "--from-run RUN.sqlite ...", options->runs,
                           "Take the stage MFU from recorded runs with different micro-batch "
                           "sizes, and compare the estimate with their iterations");
    for (const auto& field : estimateFields())
        runs->excludes(app.get_option(field.longFlag()));
    app.add_flag("--json", options->json, "Print JSON");
    return [options] { return print(*options); };
}

} // namespace cli
