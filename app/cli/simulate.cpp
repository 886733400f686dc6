#include "engine/sim/simulate.h"

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/command_line.h"
#include "app/cli/cost_options.h"
#include "app/cli/output.h"
#include "app/cli/run_json.h"
#include "app/cli/run_text.h"
#include "app/cli/schedule_options.h"
#include "app/cli/table.h"
#include "app/cli/timeline_text.h"
#include "engine/base/version.h"
#include "engine/schedule/passes.h"
#include "profiler/analysis/words.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct Options
{
    ScheduleOptions schedule;
    CostOptions costs;
    SyncPolicy sync = SyncPolicy::Eager;
    int iterations = 1;
    bool json = false, force = false;
    std::string output, command;
};

struct Simulated
{
    Run run;
    RunMetrics metrics;
};

RunInfo infoOf(const Options& options, const Schedule& schedule, std::int64_t ticksPerUnit)
{
    RunInfo info;
    info.scheme = schedule.scheme;
    info.label = labelOf(schedule.scheme);
    info.command = options.command;
    info.started = utcNow();
    info.program = buildId();
    info.mode = Mode::Simulate;
    info.outcome = Outcome::Finished;
    info.ticksPerUnit = ticksPerUnit;
    info.link = linkText(options.costs);
    info.plannedWarmup = 0;
    info.plannedIterations = options.iterations;
    return info;
}

Result<Simulated> simulateOne(const Options& options, const UnitCosts& costs,
                              const Schedule& schedule)
{
    Simulated one;
    one.run.schedule = lower(schedule, options.sync);
    const auto times = unitOpCosts(one.run.schedule, costs);
    if (!times)
        return tl::unexpected(times.error());
    auto timeline = simulate(one.run.schedule, *times, {.iterations = options.iterations});
    if (!timeline)
        return tl::unexpected(timeline.error());
    one.run.timeline = std::move(*timeline);
    one.run.info = infoOf(options, schedule, times->ticksPerUnit);
    auto numbers = metrics(one.run);
    if (!numbers)
        return tl::unexpected(numbers.error());
    one.metrics = std::move(*numbers);
    return one;
}

// Of a forward, where only the attention is repeated: an assumption, as every unit cost is.
constexpr Fraction kAttentionShare{1, 5};

Result<std::vector<Simulated>> simulateAll(const Options& options)
{
    auto costs = unitCosts(options.costs);
    if (!costs)
        return tl::unexpected(costs.error());
    if (options.schedule.passes.recompute == PassOptions::Recompute::Attention
        && options.costs.recompute.empty())
        costs->recompute = kAttentionShare;
    const auto built = schedules(options.schedule);
    if (!built)
        return tl::unexpected(built.error());
    std::vector<Simulated> all;
    for (const Schedule& schedule : *built) {
        auto one = simulateOne(options, *costs, schedule);
        if (!one)
            return tl::unexpected(one.error());
        all.push_back(std::move(*one));
    }
    return all;
}

double most(const RunMetrics& metrics, double DeviceMetrics::*field)
{
    double largest = 0;
    for (const DeviceMetrics& device : metrics.devices)
        largest = std::max(largest, device.*field);
    return largest;
}

std::string comparisonTable(const std::vector<Simulated>& all)
{
    Table table({{"scheme", Table::Align::Left},
                 {"D"},
                 {"N"},
                 {"v"},
                 {"iteration"},
                 {"span"},
                 {"bubble %"},
                 {"peak stash M_a"},
                 {"weights M_theta"},
                 {"messages"},
                 {"copies"}});
    for (const auto& [run, m] : all) {
        const Shape& shape = run.schedule.shape;
        table.add(
            {run.info.scheme, std::to_string(shape.devices), std::to_string(shape.microBatches),
             std::to_string(shape.chunks()), timeNumber(m.duration, run.info.ticksPerUnit),
             timeNumber(m.span, run.info.ticksPerUnit), fmt::format("{:.1f}", 100 * m.bubbleRatio),
             unitNumber(most(m, &DeviceMetrics::peakStash)),
             unitNumber(most(m, &DeviceMetrics::weights)), std::to_string(m.messages),
             std::to_string(m.localCopies)});
    }
    return table.text() + "\none unit = a device's forward of one micro-batch; link "
        + all.front().run.info.link + "\n";
}

std::string asText(const std::vector<Simulated>& all)
{
    if (all.size() > 1)
        return comparisonTable(all);
    const auto& [run, metrics] = all.front();
    std::string picture = timelineText(run, metrics.iteration, outputColumns(),
                                       outputHasColours() ? Ink::Colours : Ink::Plain);
    if (!picture.empty())
        picture += "\n";
    return headingOf(run) + "\n" + headlineOf(run, metrics) + "\n\n" + picture
        + deviceTable(run, metrics);
}

std::string asJson(const std::vector<Simulated>& all)
{
    if (all.size() == 1)
        return runJson(all.front().run, all.front().metrics).dump(2) + "\n";
    auto rows = nlohmann::ordered_json::array();
    for (const auto& [run, metrics] : all)
        rows.push_back(runJson(run, metrics));
    return rows.dump(2) + "\n";
}

Result<int> print(const Options& options)
{
    if (!options.output.empty() && options.schedule.schemes.size() > 1)
        return fail(Error::Code::InvalidArgument,
                    "one file holds one run: give -o with a single --scheme");
    const auto all = simulateAll(options);
    if (!all)
        return tl::unexpected(all.error());
    if (!options.output.empty())
        if (const auto written = writeRun(options.output, all->front().run,
                                          options.force ? IfExists::Replace : IfExists::Refuse);
            !written)
            return tl::unexpected(written.error());
    printText(options.json ? asJson(*all) : asText(*all));
    if (!options.output.empty() && !options.json)
        printText("\n" + options.output + "  (bubblescope " + quoted(options.output) + ")\n");
    return 0;
}
} // namespace

Action prepareSimulate(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    addScheduleOptions(app, options->schedule, Schemes::Several);
    addPassOptions(app, options->schedule.passes);
    addCostOptions(app, options->costs);
    addSyncOption(app, options->sync, "Schedule");
    app.add_option("--iterations", options->iterations, "Back to back, flushed in between [1]")
        ->type_name("K")
        ->check(between(1, 100000));
    app.add_flag("--json", options->json, "Print JSON: one object, or a list for several schemes");
    app.add_option("-o,--output", options->output, "Record into a file")->type_name("RUN.sqlite");
    app.add_flag("--force", options->force, "Replace the file if it exists");
    return [options, &app] {
        options->command = commandLine(app);
        return print(*options);
    };
}

} // namespace cli
