#include "app/cli/commands/command.h"
#include "app/cli/commands/long_task.h"
#include "app/cli/commands/simulated.h"
#include "app/cli/options/choice.h"
#include "app/cli/options/command_line.h"
#include "app/cli/options/field_options.h"
#include "app/cli/options/model_options.h"
#include "app/cli/options/output_options.h"
#include "app/cli/options/schedule_options.h"
#include "app/cli/text/output.h"
#include "app/cli/text/run_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/check_experiment.h"
#include "engine/schedule/passes/passes.h"
#include "profiler/analysis/predicted_info.h"
#include "profiler/store/trace_store.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
void restartWithHugePages()
{
    constexpr const char* kTunables = "GLIBC_TUNABLES";
    if (std::getenv(kTunables) != nullptr)
        return;
    std::vector<std::string> words;
    std::ifstream arguments("/proc/self/cmdline", std::ios::binary);
    for (std::string word; std::getline(arguments, word, '\0');)
        words.push_back(word);
    if (words.empty())
        return;
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    setenv(kTunables, "glibc.malloc.hugetlb=1", 1);
    execv("/proc/self/exe", pointers.data());
    unsetenv(kTunables); // exec failed, so the program continues without huge pages
}

struct CalibrateOptions
{
    std::string file, split;
};

constexpr const char* kCalibrateGroup = "Costs of a recorded run";

bool given(const CLI::App& app, const char* option)
{
    return app.get_option(option)->count() > 0;
}

Result<std::optional<Fraction>> shareOf(const std::string& text)
{
    if (text.empty())
        return std::optional<Fraction>();
    const auto share = parseFraction(text);
    if (share && share->numerator > 0 && share->numerator < share->denominator)
        return std::optional(*share);
    return fail(
        Error::Code::InvalidArgument,
        fmt::format("--split-backward {}: must be the share of I in B, between 0 and 1", text));
}

void addCalibrateOptions(CLI::App& app, CalibrateOptions& options)
{
    auto* file = app.add_option(
        "--calibrate", options.file,
        "Take all costs from a recorded run with the same stages, as medians of its iterations");
    file->type_name("RUN.sqlite")->group(kCalibrateGroup);
    for (const char* other : {"--forward",
                              "--backward",
                              "--input-gradient",
                              "--weight-gradient",
                              "--p2p",
                              "--latency",
                              "--allreduce",
                              "--optimizer",
                              "--transfer",
                              "--recompute-cost",
                              "--stage-cost",
                              "--p2p-across",
                              "--latency-across",
                              "--transfer-across",
                              "--allreduce-across",
                              "--nics-per-node",
                              "--joint",
                              "--model",
                              "--hardware",
                              "--tensor-parallel",
                              "--no-sequence-parallel",
                              "--attention",
                              "--recompute-all",
                              "--micro-batch-size"})
        file->excludes(app.get_option(other));
    app.add_option(
           "--split-backward", options.split,
           "Derive missing backward times: I is this share of B, W the rest, and B is I + W")
        ->type_name("SHARE")
        ->group(kCalibrateGroup)
        ->needs(file);
}

Result<std::optional<SimulationCosts::Recorded>> recorded(const CalibrateOptions& options)
{
    if (options.file.empty())
        return std::optional<SimulationCosts::Recorded>();
    const auto share = TRY(shareOf(options.split));
    auto run = TRY(openRun(options.file));
    return SimulationCosts::Recorded{std::make_shared<const Run>(std::move(run)), share};
}

bool usesRecordedSchedule(const CLI::App& app)
{
    for (const char* option : {"--scheme", "--devices", "--micro-batches", "--chunks", "--set",
                               "--schedule", "--evict", "--recompute", "--data-parallel"})
        if (given(app, option))
            return false;
    return true;
}

void fillFrom(const Schedule& run, const CLI::App& app, ScheduleOptions& options)
{
    if (!options.file.empty())
        return;
    if (options.schemes.empty() && findScheme(run.scheme) != nullptr)
        options.schemes = {run.scheme};
    if (!given(app, "--devices"))
        options.request.devices = run.shape.devices;
    if (!given(app, "--micro-batches"))
        options.request.microBatches = run.shape.microBatches;
    if (given(app, "--chunks") || options.request.devices < 1
        || run.shape.stages % options.request.devices != 0)
        return;
    ScheduleOptions withChunks = options;
    withChunks.request.chunks = run.shape.stages / options.request.devices;
    if (std::ranges::all_of(requests(withChunks), [](const ScheduleRequest& request) {
            return checkRequest(request).has_value();
        }))
        options = std::move(withChunks);
}

struct SimulationOptions
{
    ScheduleOptions schedule;
    UnitCosts costs;
    std::string recomputeKeeps; // "": the default for --recompute
    ModelOptions model;
    CalibrateOptions calibrate;
    std::optional<SimulationCosts::Recorded> recorded;
    std::optional<Schedule> recordedOrder; // to simulate the schedule of the run itself
    SyncPolicy sync = SyncPolicy::Eager;
    int iterations = 1;
    bool json = false, attentionGiven = false;
    OutputOptions output;
    std::string command;
};

// Whether the request is large enough to restart with huge pages.
bool isHuge(const ScheduleRequest& request)
{
    constexpr std::int64_t kMany = std::int64_t{1} << 22;
    return std::int64_t{request.devices} * request.microBatches * std::max(1, request.chunks)
        > kMany;
}

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
    return !options.output.file.empty() || options.recorded
        || std::ranges::any_of(requests(options.schedule), [](const ScheduleRequest& request) {
               const Scheme* scheme = findScheme(request.scheme);
               return scheme != nullptr && scheme->asynchronous;
           });
}

RunInfo infoOf(const SimulationOptions& options, const std::string& scheme,
               const RunInfo& simulated)
{
    RunInfo info;
    info.recomputeKeeps = simulated.recomputeKeeps;
    info.scheme = scheme;
    info.label = labelOf(scheme);
    info.command = options.command;
    info.started = utcNow();
    info.hostName = hostName();
    info.program = buildId();
    info.mode = Mode::Simulate;
    info.outcome = Outcome::Finished;
    info.ticksPerUnit = simulated.ticksPerUnit;
    info.link = linkText(options.costs);
    info.plannedWarmup = 0;
    info.plannedIterations = options.iterations;
    return info;
}

Result<double> keptOf(const SimulationOptions& options)
{
    const std::string& text = options.recomputeKeeps;
    if (text.empty())
        return options.schedule.passes.recompute == Recompute::Attention ? kAttentionKeeps : 0;
    const auto share = parseFraction(text);
    if (share && share->numerator <= share->denominator)
        return share->value();
    return fail(Error::Code::InvalidArgument,
                fmt::format("--recompute-keeps {}: must be a share between 0 and 1", text));
}

// Applies --recompute to a model on hardware: `attention` acts like --attention recompute, and
// `full` acts like --recompute-all.
Result<void> applyRecompute(const SimulationOptions& options, ModelOnHardware& on)
{
    const Recompute recompute = options.schedule.passes.recompute;
    if (recompute == Recompute::Attention && options.attentionGiven
        && on.setup.attention == AttentionMode::Flash)
        return fail(Error::Code::InvalidArgument,
                    "flash attention stores no scores, so there are none to recompute; remove "
                    "--attention flash or --recompute attention");
    if (recompute == Recompute::Attention)
        on.setup.attention = AttentionMode::Recompute;
    if (recompute == Recompute::Full)
        on.setup.recomputesAll = true;
    return {};
}

Result<SimulationCosts> costsOf(const SimulationOptions& options)
{
    UnitCosts units = options.costs;
    TRY(checkUnitCosts(units));
    const auto kept = TRY(keptOf(options));
    if (options.schedule.passes.recompute == Recompute::Attention && !units.recompute)
        units.recompute = kAttentionShare;
    SimulationCosts costs{std::move(units), std::nullopt, options.recorded, kept};
    if (options.model.model.empty() != options.model.hardware.empty())
        return fail(Error::Code::InvalidArgument,
                    "--model and --hardware need each other; give both");
    if (options.model.model.empty())
        return costs;
    auto on = modelOnHardware(options.model);
    if (!on)
        return on.error().code == Error::Code::NotFound ? wrongUsage(on.error())
                                                        : tl::unexpected(on.error());
    on->setup.dataParallel = options.schedule.request.dataParallel;
    TRY(applyRecompute(options, *on));
    if (options.recomputeKeeps.empty())
        costs.recomputeKeeps = keptShare(*on);
    costs.model = *std::move(on);
    return costs;
}

Result<Simulated> simulateOne(const SimulationOptions& options, const SimulationRequest& request,
                              Schedule schedule)
{
    schedule.shape.dataParallel = options.schedule.request.dataParallel;
    const std::string scheme = schedule.scheme;
    auto one = simulated(std::move(schedule), request);
    if (one)
        one->run.info = infoOf(options, scheme, one->run.info);
    if (one && request.costs.model) {
        describeModel(*request.costs.model, one->run.schedule.shape, one->run.info);
        addRates(one->run.info, options.schedule.request.dataParallel, one->metrics);
        one->deviceMemory = request.costs.model->hardware.memory;
    }
    if (one && !one->mapping.empty())
        one->run.info.link += ", " + one->mapping;
    if (one && request.costs.recorded) {
        describeRecorded(*request.costs.recorded->run, options.calibrate.file,
                         one->run.schedule.shape, one->run.info);
        addRates(one->run.info, options.schedule.request.dataParallel, one->metrics);
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

// Fails if the recorded stream has fewer measured windows than --iterations.
Result<void> checkWindows(const Run& run, int iterations)
{
    const auto measured
        = std::ranges::count(run.timeline.iterations, Iteration::Kind::Measured, &Iteration::kind);
    if (run.schedule.shape.windows == 1 || iterations <= measured)
        return {};
    return fail(Error::Code::InvalidArgument,
                fmt::format("--iterations {}: the recorded run has {} without a flush; use at most "
                            "{}, or add --scheme {}",
                            iterations, measured, measured, run.schedule.scheme));
}

// Removes all-reduces and optimizer steps, so that lower() places them as --sync says.
Result<void> removeAllReduces(Schedule& schedule)
{
    if (hasTiedEmbeddings(schedule))
        return fail(Error::Code::Unsupported,
                    "--sync: the all-reduce of tied embeddings stays where it was recorded; leave "
                    "out --sync, or add --scheme");
    for (std::vector<Op>& ops : schedule.program)
        std::erase_if(ops, [](const Op& op) {
            return op.kind == OpKind::AllReduce || op.kind == OpKind::OptimizerStep;
        });
    return {};
}

// Reads the run of --calibrate. Takes from it the schedule options that are not given.
Result<void> calibrate(const CLI::App& app, SimulationOptions& options)
{
    auto run = TRY(recorded(options.calibrate));
    options.recorded = std::move(run);
    if (!options.recorded)
        return {};
    const Schedule& schedule = options.recorded->run->schedule;
    if (usesRecordedSchedule(app)) {
        TRY(checkWindows(*options.recorded->run, options.iterations));
        options.recordedOrder = schedule;
        if (app.get_option("--sync")->count() > 0)
            TRY(removeAllReduces(*options.recordedOrder));
    }
    fillFrom(schedule, app, options.schedule);
    if (app.get_option("--data-parallel")->count() == 0)
        options.schedule.request.dataParallel = schedule.shape.dataParallel;
    return {};
}

// The assumed ratio of the time to simulate an op to the time to build it. Measured ratios are 1
// with many micro-batches and 4 with many chunks. The constant is used only to estimate the first
// simulation; later estimates use the measured time of the previous one.
constexpr double kSimulateToBuild = 3;

Result<std::vector<Simulated>> simulateAll(const SimulationOptions& options)
{
    auto costs = TRY(costsOf(options));
    LongTask task("building the schedule");
    auto built = TRY(schedulesOf(options));
    const bool draws = !options.json && built.size() == 1;
    const SimulationRequest request{std::move(costs), options.sync, options.iterations,
                                    !options.output.file.empty()
                                        || (draws && isSmall(built.front(), options.iterations)),
                                    options.schedule.request.mapping};
    std::vector<Simulated> all;
    double opsLeft = 0;
    for (const Schedule& schedule : built)
        opsLeft += static_cast<double>(opCount(schedule)) * options.iterations;
    double secondsPerOp = kSimulateToBuild * task.seconds() / opsLeft;
    for (Schedule& schedule : built) {
        task.next(fmt::format("simulating {} ops", opsLeft), opsLeft * secondsPerOp);
        const double begin = task.seconds();
        const double ops = static_cast<double>(opCount(schedule)) * options.iterations;
        TRY(checkSync(schedule, options.sync));
        all.push_back(TRY(simulateOne(options, request, std::move(schedule))));
        opsLeft -= ops;
        secondsPerOp = (task.seconds() - begin) / ops;
    }
    return all;
}

Result<int> print(const SimulationOptions& options)
{
    if (!options.output.file.empty() && options.schedule.schemes.size() > 1)
        return fail(Error::Code::InvalidArgument,
                    "-o writes one run; use it with a single --scheme");
    std::optional<NewFile> file;
    if (!options.output.file.empty())
        file = TRY(createOutput(options.output));
    if (isHuge(options.schedule.request))
        restartWithHugePages();
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
void addCostOptions(CLI::App& app, SimulationOptions& options)
{
    addFieldOptions(app, unitCostFields(), options.costs);
    app.add_option("--recompute-keeps", options.recomputeKeeps,
                   "Share of an activation that is kept from F until RECOMPUTE (default: 0 with "
                   "--recompute full, 0.3 with --recompute attention; computed from the model "
                   "with --model)")
        ->type_name("SHARE")
        ->group(std::string(unitCostFields().front().group));
}

// Fails if a given option would have no effect, because the costs come from another source.
Result<void> checkUses(const CLI::App& app, const SimulationOptions& options)
{
    const bool hasModel = !options.model.model.empty();
    const auto unused = [&app](std::string_view flag, std::string_view why) -> Result<void> {
        if (app.count(std::string(flag)) == 0)
            return {};
        return fail(Error::Code::InvalidArgument, fmt::format("{}: {}; leave it out", flag, why));
    };
    for (const auto& field : unitCostFields())
        if (hasModel && field.group != kInterference)
            TRY(unused(field.longFlag(), "the times are those of --model and --hardware"));
    for (const auto& field : trainingSetupFields())
        if (!hasModel)
            TRY(unused(field.longFlag(), "needs --model and --hardware"));
    if (!hasModel && options.costs.devicesPerNode == 0)
        return unused("--mapping", "needs nodes, from --hardware or --devices-per-node");
    return {};
}

// Sets the cost of B to the value of --backward, if it is given. Otherwise B keeps the sum of I and
// W, which the options for I and W have set.
Result<void> keepBackward(const CLI::App& app, UnitCosts& costs)
{
    if (app.count("--backward") == 0)
        return {};
    costs.backward = TRY(parseFraction(app.get_option("--backward")->results().front()));
    return {};
}

void addOptions(CLI::App& app, SimulationOptions& options)
{
    addScheduleOptions(app, options.schedule, Schemes::Several);
    addCopyOptions(app, options.schedule.request);
    addPassOptions(app, options.schedule.passes);
    addCostOptions(app, options);
    addModelOptions(app, options.model);
    addSimulationOptions(app, options.model);
    addCalibrateOptions(app, options.calibrate);
    addSyncOption(app, options.sync);
    app.add_option("--iterations", options.iterations,
                   "Consecutive iterations, with a flush after each except in asynchronous schemes "
                   "(default: 1)")
        ->type_name("K")
        ->check(between(1, 100000));
    app.add_flag("--json", options.json, "Print JSON: one object, or a list for several schemes");
    addOutputOptions(app, options.output, "Record into a file", "RUN.sqlite");
}

// Completes the options after they were parsed.
Result<void> complete(const CLI::App& app, SimulationOptions& options)
{
    options.command = commandLine(app);
    TRY(keepBackward(app, options.costs));
    options.attentionGiven = app.get_option("--attention")->count() > 0;
    TRY(calibrate(app, options));
    return checkUses(app, options);
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

Result<Simulated> simulateArguments(const std::vector<std::string>& arguments)
{
    CLI::App app;
    SimulationOptions options;
    addOptions(app, options);
    // As with --json, no picture is drawn, so no spans need to be kept for it.
    options.json = true;
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& error) {
        return fail(Error::Code::Unsupported,
                    fmt::format("{}; see bscope simulate --help", error.what()));
    }
    TRY(complete(app, options));
    auto all = TRY(simulateAll(options));
    if (all.size() > 1)
        return fail(Error::Code::InvalidArgument, "several schemes; give one --scheme");
    return std::move(all.front());
}

} // namespace cli
