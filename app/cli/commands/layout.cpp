#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/options/prediction_options.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"
#include "engine/kit/training_kit.h"
#include "profiler/report/sheet.h"
#include "profiler/search/balance.h"
#include "profiler/whatif/changes.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct LayoutOptions : PredictionOptions
{
    std::string memory;
    bool json = false;
};

// What the layouts of a command are compared by.
struct Pipeline
{
    std::string description; // "gpt3-96b on A100 SXM 80 GB"
    std::vector<int> before; // layers of every stage
    MemoryLimit limit;
    std::function<Result<RunMetrics>(const LayerLayout&)> simulate;
};

Result<Pipeline> onHardware(const LayoutOptions& options, const Schedule& schedule)
{
    auto costs = TRY(costsOf(options));
    const auto limit = TRY(memoryLimit(options.memory, costs));
    const ModelOnHardware& on = *costs.model;
    TRY(checkParallel(on.model, on.setup, schedule.shape.stages));
    const PredictOptions how{.sync = options.request().sync,
                             .mapping = options.request().schedule.mapping,
                             .needsSpans = false,
                             .needsLoads = false};
    return Pipeline{fmt::format("{} on {}", on.model.name, on.hardware.name),
                    on.setup.layout.counts(on.model.layers, schedule.shape.stages), limit,
                    [=](const LayerLayout& layout) -> Result<RunMetrics> {
                        PredictionCosts changed = costs;
                        changed.model->setup.layout = layout;
                        return TRY(predict(schedule, changed, how)).metrics;
                    }};
}

Result<Pipeline> ofRun(const LayoutOptions& options, const Schedule& schedule)
{
    const Run& run = *options.request().source.run;
    const int layers = modelLayers(run);
    if (!options.memory.empty())
        return invalid(
            "--memory: the memory of a run with other layers per stage is unknown; leave "
            "it out, or give a model and --hardware");
    if (layers == 0)
        return fail(Error::Code::Unsupported,
                    "the run does not state the layers of its model; give a model and --hardware");
    TRY(LayerLayout().check("the model", layers, schedule.shape.stages));
    auto before = stageLayers(run);
    if (schedule.shape.stages != run.schedule.shape.stages)
        before = LayerLayout().counts(layers, schedule.shape.stages);
    const auto measured = TRY(WhatIfPredictor::create(run));
    return Pipeline{fmt::format("the times of {}", options.request().source.file),
                    before,
                    {},
                    [=](const LayerLayout& layout) -> Result<RunMetrics> {
                        WhatIfChanges changes;
                        changes.layout = layout;
                        const auto predictor = TRY(withChanges(measured, changes));
                        const auto one = TRY(predictor.predict({schedule, 1, 0}));
                        return metrics(one.run);
                    }};
}

struct LayoutRow
{
    std::string name;
    LayerLayout layout;
    std::vector<int> layers;
    RunMetrics metrics;
    bool fits = true, hasLimit = false;
};

constexpr std::array kLayout{
    Measure(column("", "layout"), [](const LayoutRow& r) { return r.name; }),
    Measure(column("layout", "layers per stage"),
            [](const LayoutRow& r) { return r.layout.text(); }),
    Measure({"layers"},
            [](const LayoutRow& r) {
                return Reading(Reading::List(r.layers.begin(), r.layers.end()));
            }),
    Measure({"iteration"}, [](const LayoutRow& r) { return r.metrics.duration; }),
    Measure(column("", "iteration ms", Unit::None, 2),
            [](const LayoutRow& r) { return r.metrics.duration * 1e-6; }),
    Measure(column("bubble_ratio", "bubble", Unit::Share),
            [](const LayoutRow& r) { return r.metrics.bubbleRatio; }),
    Measure({"peak_bytes", "peak memory", Unit::Bytes, kColumn | kIfAny},
            [](const LayoutRow& r) { return Reading(r.metrics.peakBytes()); }),
    Measure({"fits"}, [](const LayoutRow& r) { return r.hasLimit ? Reading(r.fits) : Reading(); }),
    Measure({"", "memory", Unit::None, kColumn | kIfAny},
            [](const LayoutRow& r) {
                return !r.hasLimit ? Reading() : Reading(r.fits ? "fits" : "does not fit");
            }),
};

Sheet layoutSheet(const Pipeline& pipeline, const Schedule& schedule,
                  const std::vector<LayoutRow>& rows, std::int64_t tried)
{
    const LayoutRow &before = rows.front(), &after = rows.back();
    const double change = ratio(after.metrics.duration, before.metrics.duration) - 1;
    const Shape& shape = schedule.shape;
    Reading::List torchtitan;
    for (const auto& names : titanModules(after.layers))
        torchtitan.emplace_back(Reading::List(names.begin(), names.end()));
    Sheet sheet;
    sheet.data(Reading::Fields{{"scheme", schedule.scheme},
                               {"devices", shape.devices},
                               {"micro_batches", shape.microBatches},
                               {"chunks", shape.chunks()},
                               {"unit", "ns"},
                               {"change", change},
                               {"layouts", tried},
                               {"before", fields(kLayout, before)},
                               {"after", fields(kLayout, after)},
                               {"megatron", after.layout.text()},
                               {"torchtitan", torchtitan}});
    if (after.hasLimit && !after.fits)
        sheet.sentence(
            "no layout that was found fits in memory; the balanced one exceeds it least");
    sheet.sentence(
        before.layers == after.layers
            ? "no move of layers shortens the iteration"
            : fmt::format("the balanced layout changes the iteration by {:+.1f} %", 100 * change));
    sheet.sentence(fmt::format("{}, {}, D = {}, N = {}, v = {}; {} layouts simulated",
                               pipeline.description, schedule.scheme, shape.devices,
                               shape.microBatches, shape.chunks(), tried));
    sheet.table(Table(kLayout, rows));
    if (after.hasLimit)
        sheet.sentence("memory: " + pipeline.limit.text());
    sheet.sentence(
        fmt::format("Megatron-LM: --pipeline-model-parallel-layout '{}'", after.layout.text()));
    sheet.lines("torchtitan: module_fqns_per_model_part = [\n" + titanText(after.layers) + "]\n");
    return sheet;
}

Result<int> printLayout(const CLI::App& app, LayoutOptions& options)
{
    TRY(complete(app, options));
    const bool isRecorded = options.request().source.kind == CostSource::Kind::Recorded;
    if (!isRecorded && options.request().source.isUnits())
        return invalid("layers have no times: give a model and --hardware, or --calibrate RUN");
    if (options.recordedOrder && findScheme(options.recordedOrder->scheme) == nullptr)
        return invalid("the scheme of the run is unknown; give one with --scheme");
    const auto all = TRY(schedules(options.schedule));
    if (all.size() > 1)
        return invalid("several schemes; give one --scheme");
    Schedule schedule = all.front();
    schedule.shape.dataParallel = options.request().schedule.dataParallel;
    const auto pipeline
        = TRY(isRecorded ? ofRun(options, schedule) : onHardware(options, schedule));
    if (!pipeline.limit.of.empty() && !pipeline.limit.isInBytes)
        return invalid("--memory {}: M_a do not depend on the layers of a stage; give "
                       "bytes, as in 40GiB",
                       options.memory);
    std::int64_t tried = 0;
    LongTask task("simulating layouts");
    const auto score = [&](const LayerLayout& layout) {
        task.next(fmt::format("simulating layout {}", ++tried), 0);
        return pipeline.simulate(layout).map(
            [&](const RunMetrics& metrics) { return LayoutScore::of(metrics, pipeline.limit); });
    };
    const auto found = TRY(balancedLayers(pipeline.before, score));
    std::vector<LayoutRow> rows;
    for (const auto& [name, layers] :
         {std::pair("before", pipeline.before), std::pair("balanced", found)}) {
        const LayerLayout layout(layers);
        auto metrics = TRY(pipeline.simulate(layout));
        const bool fits = pipeline.limit.admits(metrics);
        rows.push_back(
            {name, layout, layers, std::move(metrics), fits, !pipeline.limit.of.empty()});
    }
    cli::print(layoutSheet(pipeline, schedule, rows, tried), options.json);
    return 0;
}
} // namespace

Action prepareLayout(CLI::App& app)
{
    const auto options = std::make_shared<LayoutOptions>();
    addPredictionOptions(app, *options, "MODEL,--model");
    app.add_option("--memory", options->memory,
                   "The most memory of a device; one value, or one for each device (default: the "
                   "memory of --hardware less --reserve)")
        ->type_name("LIMIT");
    app.add_flag("--json", options->json, "Print JSON");
    return [options, &app] { return printLayout(app, *options); };
}

} // namespace cli
