#include "app/cli/options/prediction_options.h"

#include "app/cli/options/options.h"
#include "app/cli/text/output.h"
#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
constexpr const char* kScheduleGroup = "Schedule";

bool isOfCopies(std::string_view flag)
{
    return flag == "--data-parallel" || flag == "--mapping";
}

} // namespace

void addScheduleOptions(CLI::App& app, ScheduleOptions& options, Schemes schemes)
{
    const bool several = schemes == Schemes::Several;
    FieldFacts scheme = *findField(requestFields(), "--scheme");
    if (several) {
        scheme.kind = FieldKind::List;
        scheme.help = "Pipeline scheme, see bscope schemes; repeat it to compare schemes";
    }
    addFieldOption(app, scheme, options.request.schedule.scheme, [&options](std::string_view text) {
        for (const std::string_view name : items(text))
            options.schemes.emplace_back(name);
        return Result<void>();
    });
    addFieldOptions(app, requestFields(), options.request.schedule,
                    [](std::string_view flag) { return flag == "--scheme" || isOfCopies(flag); });
    CLI::Option* file = addExperimentOption(
        app, experimentField("--schedule"), "",
        [&options](const Experiment& e) { options.request.scheduleFile = e.scheduleFile; });
    for (const char* other : {"--scheme", "--devices", "--micro-batches", "--chunks", "--set"})
        file->excludes(app.get_option(other));
}

void addPassOptions(CLI::App& app, PredictionRequest& request)
{
    FieldFacts evict
        = option("", "--evict", "Evict", "Share stashes between devices d and D-1-d, as BPipe does")
              .oneOf({"none", "lazy", "steady"});
    evict.group = kScheduleGroup;
    addFieldOption(app, evict, "none", [&request](std::string_view text) {
        request.evict.reset();
        if (text != "none")
            request.evict = text == "lazy" ? EvictPolicy::Lazy : EvictPolicy::Steady;
        return Result<void>();
    });
    const auto add = [&app, &request](const char* flag, std::string_view none, auto to, auto of) {
        FieldFacts facts = experimentField(flag).withDefault(none);
        facts.group = kScheduleGroup;
        addExperimentOption(app, facts, none, [&request, to, of](const Experiment& typed) {
            request.*to = typed.model.*of;
        });
    };
    add("--offload", "off", &PredictionRequest::offload, &ModelSpec::offload);
    add("--recompute", "none", &PredictionRequest::recompute, &ModelSpec::recompute);
    add("--recompute-ahead", "off", &PredictionRequest::recomputeAhead, &ModelSpec::recomputeAhead);
}

std::vector<ScheduleRequest> requests(const ScheduleOptions& options)
{
    ScheduleRequest request = options.request.schedule;
    std::vector<ScheduleRequest> all;
    for (const std::string& scheme :
         options.schemes.empty() ? std::vector{request.scheme} : options.schemes) {
        request.scheme = scheme;
        all.push_back(options.stages > 0 ? withStages(request, options.stages) : request);
    }
    return all;
}

Result<std::vector<Schedule>> schedules(const ScheduleOptions& options, const SizeLimit& limit)
{
    const auto& of = options.request;
    std::vector<Schedule> all;
    const auto add = [&](Schedule schedule) -> Result<void> {
        schedule.shape.dataParallel = of.schedule.dataParallel;
        auto complete = withPasses(std::move(schedule), of);
        if (!complete)
            return wrongUsage(complete.error());
        all.push_back(*std::move(complete));
        return {};
    };
    if (!of.scheduleFile.empty()) {
        auto schedule = TRY(readScheduleFile(of.scheduleFile));
        TRY(add(std::move(schedule)));
        return all;
    }
    for (const ScheduleRequest& request : requests(options)) {
        auto schedule = buildSchedule(
            options.stream ? asStream(request, *options.stream, limit) : request, limit);
        if (!schedule)
            return wrongUsage(schedule.error());
        TRY(add(*std::move(schedule)));
    }
    return all;
}

namespace {
bool given(const CLI::App& app, const char* option)
{
    return app.get_option(option)->count() > 0;
}

CLI::Option* addSourceOption(CLI::App& app, std::string_view flag, CostSource& source)
{
    const auto* field = findField(costSourceFields(), flag.substr(flag.find("--")));
    FieldFacts facts = field->withDefault("");
    facts.flag = flag;
    return addFieldOption(app, facts, "", [field, &source](std::string_view text) {
        return field->set(source, text);
    });
}

// Adds the options of a model on hardware; those that `bscope estimate` lacks come last.
void addModelOptions(CLI::App& app, CostSource& source, std::string_view model)
{
    addSourceOption(app, model, source);
    addSourceOption(app, "--hardware", source);
    addSourceOption(app, "--layers", source);
    addSourceOption(app, "--network", source);
    addSourceOption(app, "--device-memory", source);
    for (const bool isLast : {false, true})
        addFieldOptions(app, trainingSetupFields(), source.setup, [isLast](std::string_view flag) {
            return isLast != (flag == "--micro-batch-size" || flag == "--allreduce-precision");
        });
}

// The costs that a recorded run replaces.
constexpr std::string_view kNotRecorded
    = "--forward --backward --input-gradient --weight-gradient --p2p --latency --allreduce "
      "--optimizer --transfer --recompute-cost --stage-cost --p2p-across --latency-across "
      "--transfer-across --allreduce-across --nics-per-node --joint --model --hardware "
      "--layers --network --device-memory --global-batch "
      "--tensor-parallel --no-sequence-parallel --attention --recompute-all "
      "--micro-batch-size";

void addCalibrateOptions(CLI::App& app, CostSource& source)
{
    CLI::Option* file = addSourceOption(app, "--calibrate", source);
    for (const std::string& other : flags(kNotRecorded))
        file->excludes(app.get_option(other));
    addSourceOption(app, "--split-backward", source)->needs(file);
}

bool usesRecordedSchedule(const CLI::App& app)
{
    for (const char* option :
         {"--scheme", "--devices", "--micro-batches", "--chunks", "--set", "--schedule", "--evict",
          "--offload", "--recompute", "--recompute-ahead", "--data-parallel"})
        if (given(app, option))
            return false;
    return true;
}

// Takes from the recorded schedule the options that are not given.
void fillFrom(const Schedule& run, const CLI::App& app, ScheduleOptions& options)
{
    ScheduleRequest& request = options.request.schedule;
    if (!given(app, "--data-parallel"))
        request.dataParallel = run.shape.dataParallel;
    if (!options.request.scheduleFile.empty())
        return;
    if (options.schemes.empty() && findScheme(run.scheme) != nullptr)
        options.schemes = {run.scheme};
    if (!given(app, "--devices"))
        request.devices = run.shape.devices;
    if (!given(app, "--micro-batches"))
        request.microBatches = run.shape.microBatches;
    if (!given(app, "--chunks"))
        options.stages = run.shape.stages;
}

// Fails if the recorded stream has fewer measured windows than --iterations.
Result<void> checkWindows(const Run& run, int iterations)
{
    const auto measured
        = std::ranges::count(run.timeline.iterations, Iteration::Kind::Measured, &Iteration::kind);
    if (run.schedule.shape.windows == 1 || iterations <= measured)
        return {};
    return invalid("--iterations {}: the recorded run has {} without a flush; use at most "
                   "{}, or add --scheme {}",
                   iterations, measured, measured, run.schedule.scheme);
}

// Removes all-reduces and optimizer steps, so that lower() places them as --sync says.
Result<void> removeAllReduces(Schedule& schedule)
{
    if (hasTiedEmbeddings(schedule))
        return fail(Error::Code::Unsupported,
                    "--sync: the all-reduce of tied embeddings stays where it was recorded; leave "
                    "out --sync, or add --scheme");
    schedule = keepOps(std::move(schedule), hasMicroBatch);
    return {};
}

// Reads the run of --calibrate. Takes from it the schedule options that are not given.
Result<void> calibrate(const CLI::App& app, PredictionOptions& options)
{
    CostSource& source = options.request().source;
    if (source.kind != CostSource::Kind::Recorded)
        return {};
    auto run = TRY(openRun(source.file));
    source.run = std::make_shared<const Run>(std::move(run));
    const Schedule& schedule = source.run->schedule;
    if (usesRecordedSchedule(app)) {
        TRY(checkWindows(*source.run, options.iterations));
        options.recordedOrder = schedule;
        if (given(app, "--sync"))
            TRY(removeAllReduces(*options.recordedOrder));
    }
    fillFrom(schedule, app, options.schedule);
    return {};
}

void addCostOptions(CLI::App& app, PredictionOptions& options)
{
    addFieldOptions(app, unitCostFields(), options.request().costs);
    addOption(app, "--recompute-keeps SHARE", options.recomputeKeeps,
              "Share of an activation that is kept from F until RECOMPUTE (default: 0 with "
              "--recompute full, 0.3 with --recompute attention; computed from the model "
              "with --model)")
        ->group(std::string(unitCostFields().front().group));
}

// Fails if a given option would have no effect, because the costs come from another source.
Result<void> checkUses(const CLI::App& app, const PredictionOptions& options)
{
    const bool hasModel = given(app, "--model");
    const auto unused = [&app](std::string_view flag, std::string_view why) -> Result<void> {
        if (app.count(std::string(flag)) == 0)
            return {};
        return invalid("{}: {}; leave it out", flag, why);
    };
    for (const auto& field : unitCostFields())
        if (hasModel && field.group != kInterference)
            TRY(unused(field.longFlag(), "the times are those of --model and --hardware"));
    for (const auto& field : trainingSetupFields())
        if (!hasModel)
            TRY(unused(field.longFlag(), "needs --model and --hardware"));
    for (const char* flag : {"--layers", "--network", "--device-memory", "--global-batch"})
        if (!hasModel)
            TRY(unused(flag, "needs --model and --hardware"));
    if (!hasModel && options.request().costs.devicesPerNode == 0)
        TRY(unused("--mapping", "needs nodes, from --hardware or --devices-per-node"));
    if (given(app, "--model") != given(app, "--hardware"))
        return invalid("a model and --hardware need each other; give both");
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

// Sets N to B / (W b) with --global-batch.
Result<void> divideBatch(PredictionOptions& options)
{
    const int batch = options.globalBatch;
    const int step
        = options.request().schedule.dataParallel * options.request().source.setup.microBatchSize;
    if (batch % step != 0)
        return invalid("--global-batch {} is not divisible by W x b = {}; use {}", batch, step,
                       (batch / step + 1) * step);
    if (batch > 0)
        options.request().schedule.microBatches = batch / step;
    return {};
}

} // namespace

void addPredictionOptions(CLI::App& app, PredictionOptions& options, std::string_view model)
{
    addScheduleOptions(app, options.schedule, Schemes::Several);
    PredictionRequest& request = options.request();
    addFieldOptions(app, requestFields(), request.schedule,
                    [](std::string_view flag) { return !isOfCopies(flag); });
    addPassOptions(app, request);
    addCostOptions(app, options);
    addModelOptions(app, request.source, model);
    addOption(app, "--global-batch B", options.globalBatch,
              "Sequences per iteration, which give N with --micro-batch-size and "
              "--data-parallel")
        ->check(between(1, 1 << 30))
        ->excludes(app.get_option("--micro-batches"))
        ->group("Model on hardware");
    addCalibrateOptions(app, request.source);
    addExperimentOption(app, experimentField("--sync"), syncName(request.sync),
                        [&request](const Experiment& typed) { request.sync = typed.sync; });
}

Result<void> complete(const CLI::App& app, PredictionOptions& options)
{
    if (const std::string& text = options.recomputeKeeps; !text.empty()) {
        const auto share = parseFraction(text);
        if (!share || share->numerator > share->denominator)
            return invalid("--recompute-keeps {}: must be a share between 0 and 1", text);
        options.request().recomputeKeeps = *share;
    }
    TRY(keepBackward(app, options.request().costs));
    TRY(divideBatch(options));
    TRY(calibrate(app, options));
    return checkUses(app, options);
}

Result<PredictionCosts> costsOf(const PredictionOptions& options)
{
    auto costs = profiler::costsOf(options.request());
    return !costs && costs.error().code == Error::Code::NotFound ? wrongUsage(costs.error())
                                                                 : std::move(costs);
}

} // namespace cli
