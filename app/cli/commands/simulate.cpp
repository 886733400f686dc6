#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/options/options.h"
#include "app/cli/options/prediction_options.h"
#include "app/cli/text/output.h"
#include "app/cli/text/run_text.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
struct SimulationOptions : PredictionOptions
{
    bool json = false, needsLoads = true;
    OutputOptions output;
};

// Whether the schedule is small enough to be printed as a timeline of letters, for which the spans
// of all iterations are kept.
bool isSmall(const Schedule& schedule, int iterations)
{
    constexpr std::size_t kMostOps = 1 << 16, kMostInAll = 1 << 22;
    return opCount(schedule) <= kMostOps && opCount(schedule) * iterations <= kMostInAll;
}

// Whether the spans of a schedule are kept regardless of its size.
bool keepsSpans(const SimulationOptions& options)
{
    return !options.output.file.empty() || options.request().source.run
        || std::ranges::any_of(requests(options.schedule), [](const ScheduleRequest& request) {
               const Scheme* scheme = findScheme(request.scheme);
               return scheme != nullptr && scheme->asynchronous;
           });
}

// The command that repeats the simulation of a schedule.
std::string commandOf(const SimulationOptions& options, const Schedule& schedule)
{
    PredictionRequest request = options.request();
    request.schedule.scheme = schedule.scheme;
    if (options.schedule.stages > 0)
        request.schedule = withStages(request.schedule, options.schedule.stages);
    auto words = options.recordedOrder ? costArguments(request) : argumentsOf(request);
    if (options.iterations != SimulationOptions().iterations)
        words.insert(words.end(), {"--iterations", std::to_string(options.iterations)});
    return commandText("simulate", words);
}

Result<PredictedRun> simulateOne(const SimulationOptions& options, const PredictionCosts& costs,
                                 const PredictOptions& how, Schedule schedule)
{
    schedule.shape.dataParallel = options.request().schedule.dataParallel;
    const std::string command = commandOf(options, schedule);
    auto one = predict(std::move(schedule), costs, how);
    if (one) {
        RunInfo& info = one->run.info;
        if (const std::string& file = options.request().scheduleFile; !file.empty())
            info.label = std::filesystem::path(file).filename().string();
        info.command = command;
        info.started = utcNow();
        info.hostName = hostName();
        info.program = buildId();
    }
    return one;
}

Result<std::vector<Schedule>> schedulesOf(const SimulationOptions& options)
{
    if (options.recordedOrder)
        return std::vector{*options.recordedOrder};
    ScheduleOptions asked = options.schedule;
    asked.stream = StreamLength{0, options.iterations};
    return schedules(asked, limitOfMachine(keepsSpans(options) ? kBytesPerOp : kBytesPerSummedOp));
}

// The assumed ratio of the time to simulate an op to the time to build it. Measured ratios are 1
// with many micro-batches and 4 with many chunks. The constant is used only to estimate the first
// simulation; later estimates use the measured time of the previous one.
constexpr double kSimulateToBuild = 3;

Result<std::vector<PredictedRun>> simulateAll(const SimulationOptions& options)
{
    const auto costs = TRY(costsOf(options));
    LongTask task("building the schedule");
    auto built = TRY(schedulesOf(options));
    const bool draws = !options.json && built.size() == 1;
    const PredictOptions how{.sync = options.request().sync,
                             .mapping = options.request().schedule.mapping,
                             .iterations = options.iterations,
                             .needsSpans = !options.output.file.empty()
                                 || (draws && isSmall(built.front(), options.iterations)),
                             .needsLoads = options.needsLoads};
    std::vector<PredictedRun> all;
    double opsLeft = 0;
    for (const Schedule& schedule : built)
        opsLeft += static_cast<double>(opCount(schedule)) * options.iterations;
    double secondsPerOp = kSimulateToBuild * task.seconds() / opsLeft;
    for (Schedule& schedule : built) {
        task.next(fmt::format("simulating {} ops", opsLeft), opsLeft * secondsPerOp);
        const double begin = task.seconds();
        const double ops = static_cast<double>(opCount(schedule)) * options.iterations;
        TRY(checkSync(schedule, how.sync));
        all.push_back(TRY(simulateOne(options, costs, how, std::move(schedule))));
        opsLeft -= ops;
        secondsPerOp = (task.seconds() - begin) / ops;
    }
    return all;
}

DeviceFit fitOf(const PredictedRun& one)
{
    return {one.run.info.memory, one.metrics.peakBytes()};
}

// Returns a line such as "memory: device 0 needs 63.4 GiB and fits, 11.8 GiB free (75.2 GiB usable
// of 79.2 GiB: reserve 5 %)".
std::string memoryLine(const PredictedRun& one)
{
    const DeviceFit fit = fitOf(one);
    if (!fit.memory.isKnown())
        return {};
    if (!fit.isKnown())
        return "memory: not computed for a schedule of this size";
    return fmt::format(
        "memory: device {} needs {} and {} ({}){}",
        one.metrics.fullest(&DeviceMetrics::peakBytes)->device.value, bytesText(*fit.peak),
        fit.fits() ? "fits, " + bytesText(fit.left()) + " free" : "does not fit, " + fit.text(),
        fit.memory.text(), fit.fits() ? "" : "; the times assume that it fits");
}

std::string ratesLine(const PredictedRun& one)
{
    if (!one.metrics.mfu)
        return {};
    return fmt::format("MFU: relative to {:.4g} TFLOP/s per device; counts full attention, even "
                       "if it is causal{}",
                       one.run.info.peakFlops / 1e12,
                       one.metrics.hfu != one.metrics.mfu ? "; HFU includes recomputation" : "");
}

// Returns a line on the link with the largest load: "links: largest load 1.6 GB, from node 0 to
// node 1 (32 messages and copies, 4 all-reduces)".
std::string linkLine(const PredictedRun& one)
{
    const LinkLoad* most = one.loads ? one.loads->largest() : nullptr;
    if (most == nullptr)
        return {};
    const int sums = most->count(LinkLoad::Of::AllReduces);
    return fmt::format(
        "links: largest load {:.3g} GB, {} ({} messages and copies, {} all-reduce{})",
        most->bytes() / 1e9,
        most->from == most->to ? fmt::format("in node {}", most->from)
                               : fmt::format("from node {} to node {}", most->from, most->to),
        most->count(LinkLoad::Of::Messages), sums, sums == 1 ? "" : "s");
}

// The assumptions of the costs, the link and the mappings.
void addAssumptions(const std::vector<PredictedRun>& all, Sheet& sheet)
{
    const RunInfo& info = all.front().run.info;
    const std::string notes = !info.timing.empty() ? "times: " + info.timing
        : info.inUnits() ? "one unit = a device's forward of one micro-batch"
                         : "times of a model on hardware, not measured";
    std::string link = info.link;
    const std::string first = ", " + all.front().mapping;
    if (const auto at = link.find(first); !all.front().mapping.empty() && at != std::string::npos)
        link.erase(at, first.size());
    sheet.sentence(notes + "; link " + link);
    for (const PredictedRun& one : all)
        if (!one.mapping.empty())
            sheet.sentence(fmt::format("mapping of {}: {}", one.run.info.scheme, one.mapping));
    sheet.sentence(ratesLine(all.front()));
}

using L = LinkLoad;
constexpr std::array kLink{
    Measure({"from_node"}, Of<&L::from>()),
    Measure({"to_node"}, Of<&L::to>()),
    Measure({"bytes"}, [](const L& l) { return std::llround(l.bytes()); }),
    Measure({"message_bytes"}, [](const L& l) { return std::llround(l.messages); }),
    Measure({"copy_bytes"}, [](const L& l) { return std::llround(l.copies); }),
    Measure({"all_reduce_bytes"}, [](const L& l) { return std::llround(l.allReduces); }),
    Measure({"transfers"}, [](const L& l) { return l.count(L::Of::Messages); }),
    Measure({"all_reduces"}, [](const L& l) { return l.count(L::Of::AllReduces); }),
    Measure({"busy_ms"}, [](const L& l) { return l.busy / 1e6; }),
};

Reading dataOf(const PredictedRun& one)
{
    Reading data = fields(runMeasures(), ReportedRun{one.run, one.metrics});
    auto& all = std::get<Reading::Fields>(data.data);
    all.emplace_back("mapping", textOrUnknown(one.mapping));
    std::ranges::move(memoryData(one.run.info.memory), std::back_inserter(all));
    all.emplace_back("fits", fitOf(one).reading());
    all.emplace_back("links", one.loads ? Table(kLink, one.loads->links).json() : Reading());
    return data;
}
Sheet simulatedSheet(const PredictedRun& one)
{
    Sheet sheet;
    sheet.sentence(runHeading(one.run));
    addSummary(one.run, one.metrics, sheet);
    sheet.sentence(memoryLine(one));
    sheet.sentence(linkLine(one));
    sheet.sentence(ratesLine(one));
    if (one.hasSpans)
        sheet.lines(timelineText(one.run, one.metrics.iteration,
                                 outputColumns().value_or(kPipedColumns),
                                 outputHasColours() ? Ink::Colours : Ink::Plain));
    addDevices(one.run, one.metrics, sheet);
    return sheet;
}

// Returns text about one simulated run, or a table with a row per run if there are several.
std::string simulatedText(const std::vector<PredictedRun>& all)
{
    if (all.size() == 1)
        return simulatedSheet(all.front()).text();
    std::vector<ReportedRun> runs;
    std::vector<std::string> schemes, fits;
    for (const PredictedRun& one : all) {
        runs.push_back({one.run, one.metrics});
        schemes.push_back(one.run.info.scheme);
        fits.push_back(fitOf(one).text());
    }
    Table table(runMeasures(), runs, kColumn | kSimulated);
    table.insert(0, "scheme", schemes);
    const MemoryCapacity& memory = all.front().run.info.memory;
    if (memory.isKnown())
        table.insert(table.columns.size(), "memory", fits);
    Sheet sheet;
    sheet.table(std::move(table));
    if (memory.isKnown())
        sheet.sentence("memory: " + memory.text());
    addAssumptions(all, sheet);
    return terminalText(sheet);
}

// Returns one JSON object, or a list of objects if there are several runs.
std::string simulatedJson(const std::vector<PredictedRun>& all)
{
    Reading::List rows;
    for (const PredictedRun& one : all)
        rows.push_back(dataOf(one));
    return jsonText(all.size() == 1 ? rows.front() : Reading(rows));
}

Result<int> print(const SimulationOptions& options)
{
    if (!options.output.file.empty() && options.schedule.schemes.size() > 1)
        return invalid("-o writes one run; use it with a single --scheme");
    std::optional<NewFile> file;
    if (!options.output.file.empty())
        file = TRY(createOutput(options.output));
    const auto all = TRY(simulateAll(options));
    if (file)
        TRY(writeRun(std::move(*file), all.front().run));
    printText(options.json ? simulatedJson(all) : simulatedText(all));
    if (file && !options.json) {
        const std::string open = openCommand(options.output.file);
        printText("\n" + options.output.file + (open.empty() ? "" : "  (" + open + ")") + "\n");
    }
    return 0;
}
void addOptions(CLI::App& app, SimulationOptions& options)
{
    addPredictionOptions(app, options);
    addOption(app, "--iterations K", options.iterations,
              "Consecutive iterations, with a flush after each except in asynchronous schemes "
              "(default: 1)")
        ->check(between(1, 100000));
    app.add_flag("--json", options.json, "Print JSON: one object, or a list for several schemes");
    addOutputOptions(app, options.output, "Record into a file", "RUN.sqlite");
}

} // namespace

Action prepareSimulate(CLI::App& app)
{
    const auto options = std::make_shared<SimulationOptions>();
    addOptions(app, *options);
    return [options, &app]() -> Result<int> {
        TRY(complete(app, *options));
        return print(*options);
    };
}

Result<PredictedRun> simulateArguments(const std::vector<std::string>& arguments)
{
    CLI::App app;
    SimulationOptions options;
    addOptions(app, options);
    // As with --json, no picture is drawn, so no spans need to be kept for it.
    options.json = true;
    options.needsLoads = false;
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ExtrasError&) {
        const auto extras = app.remaining();
        const auto option = std::ranges::find_if(
            extras, [](const std::string& word) { return word.starts_with("--"); });
        return fail(Error::Code::Unsupported, "unknown option {}; bscope simulate --help lists all",
                    option == extras.end() ? extras.front() : *option);
    } catch (const CLI::ParseError& error) {
        return fail(Error::Code::Unsupported, "{}; see bscope simulate --help", error.what());
    }
    TRY(complete(app, options));
    auto all = TRY(simulateAll(options));
    if (all.size() > 1)
        return invalid("several schemes; give one --scheme");
    return std::move(all.front());
}

} // namespace cli
