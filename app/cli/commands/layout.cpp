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
    Measure({"layers"}, [](const LayoutRow& r) { return Reading(r.layers); }),
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

Sheet layoutSheet(const LayoutTask& task, const std::vector<LayoutRow>& rows, std::int64_t tried)
{
    const Schedule& schedule = task.schedule;
    const LayoutRow &before = rows.front(), &after = rows.back();
    const double change = ratio(after.metrics.duration, before.metrics.duration) - 1;
    const Shape& shape = schedule.shape;
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
                               {"torchtitan", titanModules(after.layers)}});
    if (after.hasLimit && !after.fits)
        sheet.sentence(
            "no layout that was found fits in memory; the balanced one exceeds it least");
    sheet.sentence(
        before.layers == after.layers
            ? "no move of layers shortens the iteration"
            : fmt::format("the balanced layout changes the iteration by {:+.1f} %", 100 * change));
    sheet.sentence(fmt::format("{}, {}, D = {}, N = {}, v = {}; {} layouts simulated", task.costs,
                               schedule.scheme, shape.devices, shape.microBatches, shape.chunks(),
                               tried));
    sheet.table(Table(kLayout, rows));
    if (after.hasLimit)
        sheet.sentence("memory: " + task.limit.text());
    sheet.sentence(
        fmt::format("Megatron-LM: --pipeline-model-parallel-layout '{}'", after.layout.text()));
    sheet.lines("torchtitan: module_fqns_per_model_part = [\n" + titanText(after.layers) + "]\n");
    return sheet;
}

Result<int> printLayout(const CLI::App& app, LayoutOptions& options)
{
    TRY(complete(app, options));
    if (options.recordedOrder && findScheme(options.recordedOrder->scheme) == nullptr)
        return invalid("the scheme of the run is unknown; give one with --scheme");
    const auto all = TRY(schedules(options.schedule));
    if (all.size() > 1)
        return invalid("several schemes; give one --scheme");
    const auto task = TRY(LayoutTask::create(options.request(), all.front(), options.memory));
    std::int64_t tried = 0;
    LongTask progress("simulating layouts");
    const auto found = TRY(balancedLayers(task.before, [&](const LayerLayout& layout) {
        progress.next(fmt::format("simulating layout {}", ++tried), 0);
        return task.score(layout);
    }));
    std::vector<LayoutRow> rows;
    for (const auto& [name, layers] :
         {std::pair("before", task.before), std::pair("balanced", found)}) {
        const LayerLayout layout(layers);
        auto metrics = TRY(task.predict(layout, false)).metrics;
        const bool fits = task.limit.admits(metrics);
        rows.push_back({name, layout, layers, std::move(metrics), fits, !task.limit.of.empty()});
    }
    cli::print(layoutSheet(task, rows, tried), options.json);
    return 0;
}
} // namespace

Action prepareLayout(CLI::App& app)
{
    const auto options = std::make_shared<LayoutOptions>();
    addPredictionOptions(app, *options, "MODEL,--model");
    addOption(app, "--memory LIMIT", options->memory,
              "The most memory of a device; one value, or one for each device (default: the "
              "memory of --hardware less --reserve)");
    app.add_flag("--json", options->json, "Print JSON");
    return [options, &app] { return printLayout(app, *options); };
}

} // namespace cli
