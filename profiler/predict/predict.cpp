#include "profiler/predict/predict.h"

#include "engine/base/try.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/check_experiment.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/transfers.h"
#include "engine/sim/memory_events.h"
#include "engine/sim/recompute_ahead.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/analysis/predicted_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace profiler {

using namespace engine;

namespace {

using Kind = CostSource::Kind;

// A field whose use selects the source of costs.
Field<CostSource> sourceField(FieldFacts facts, auto CostSource::*member, Kind kind,
                              std::string off)
{
    auto field = engine::field<CostSource>(std::move(facts), member);
    field.set = [set = field.set, kind](CostSource& source, std::string_view text) {
        source.kind = kind;
        return set(source, text);
    };
    field.off = [kind, off = std::move(off)](const CostSource& source) {
        return source.kind == kind ? "" : off;
    };
    return field;
}

// A number in place of that of the preset; 0 is the preset's.
Field<CostSource> presetField(FieldFacts facts, auto CostSource::*member)
{
    auto field = sourceField(std::move(facts), member, Kind::Hardware,
                             "only for the costs of a model on hardware");
    field.get = [member, get = field.get](const CostSource& source) {
        return source.*member > 0 ? get(source) : std::string();
    };
    return field;
}

Field<CostSource> inputShareField()
{
    FieldFacts facts = option(
        "", "--split-backward", "I of B",
        "Derive missing backward times: I is this share of B, W the rest, and B is I + W", "SHARE");
    facts.kind = FieldKind::Cost;
    facts.isOptional = true;
    facts.defaultText = "as recorded";
    return {facts,
            [](const CostSource& source) {
                return source.inputShare ? textOf(*source.inputShare) : std::string();
            },
            [](CostSource& source, std::string_view text) -> Result<void> {
                const auto share = parseFraction(text);
                if (!text.empty()
                    && !(share && share->numerator > 0 && share->numerator < share->denominator))
                    return invalid("--split-backward {}: must be the share of I in B, "
                                   "between 0 and 1",
                                   excerpt(text));
                source.inputShare = text.empty() ? std::nullopt : std::optional(*share);
                return {};
            },
            [](const CostSource& source) {
                return source.kind == Kind::Recorded ? "" : "only for the costs of a recorded run";
            }};
}

} // namespace

Fields<CostSource> costSourceFields()
{
    static const std::string kModels
        = fmt::format("{}, or a .toml file", fmt::join(transformerNames(), ", "));
    static const std::string kHardware
        = fmt::format("{}, or a .toml file", fmt::join(hardwareNames(), ", "));
    static const std::vector<Field<CostSource>> kFields = [] {
        const std::string ofModel = "only for the costs of a model on hardware";
        FieldFacts memory = option("", "--device-memory", "Device memory",
                                   "Memory of a device, in place of that of --hardware", "80GiB");
        memory.kind = FieldKind::Memory;
        std::vector<Field<CostSource>> fields{
            sourceField(option("", "--model", "Transformer", kModels, "NAME|FILE").essential(),
                        &CostSource::model, Kind::Hardware, ofModel),
            sourceField(option("", "--hardware", "Hardware", kHardware, "NAME|FILE").essential(),
                        &CostSource::hardware, Kind::Hardware, ofModel),
            sourceField(
                option("", "--calibrate", "Recorded run",
                       "Take all costs from a recorded run with the same stages, as medians "
                       "of its iterations",
                       "RUN.sqlite")
                    .essential(),
                &CostSource::file, Kind::Recorded, "only for the costs of a recorded run"),
            inputShareField(),
            presetField(option("", "--layers", "Layers",
                               "Layers of the transformer, in place of those of --model", "L")
                            .between(1, 1 << 20),
                        &CostSource::layers),
            presetField(
                option("", "--network", "Network, GB/s",
                       "Bandwidth of a NIC in GB/s, one direction, in place of that of --hardware",
                       "GB/S")
                    .between(1e-3, 1e5),
                &CostSource::network),
            presetField(memory, &CostSource::deviceMemory)};
        const auto offer = [](FieldFacts& facts, const std::vector<std::string>& names) {
            facts.names.assign(names.begin(), names.end()); // a form lists them
        };
        static const std::vector<std::string> kModelNames = transformerNames(),
                                              kHardwareNames = hardwareNames();
        offer(fields[0], kModelNames);
        offer(fields[1], kHardwareNames);
        fields[0].group = fields[1].group = "Model on hardware";
        fields[4].group = fields[5].group = fields[6].group = fields[0].group;
        fields[2].group = fields[3].group = "Costs of a recorded run";
        return fields;
    }();
    return kFields;
}

bool PredictionRequest::hasSameOrder(const PredictionRequest& other) const
{
    return schedule == other.schedule && scheduleFile == other.scheduleFile && sync == other.sync
        && recompute == other.recompute && evict == other.evict
        && recomputeAhead == other.recomputeAhead && offload == other.offload
        && (!recomputeAhead || *this == other); // the costs decide what is moved
}

namespace {

// The source without the numbers that equal those of its presets.
CostSource withoutPresetNumbers(CostSource source)
{
    const auto on = modelOnHardware(source);
    const auto drop = [&](auto CostSource::*member) {
        CostSource other = source;
        other.*member = 0;
        const auto same = modelOnHardware(other);
        if (on && same && same->model == on->model && same->hardware == on->hardware)
            source = std::move(other);
    };
    drop(&CostSource::layers);
    drop(&CostSource::network);
    drop(&CostSource::deviceMemory);
    return source;
}

} // namespace

std::vector<std::string> costArguments(const PredictionRequest& request)
{
    std::vector<std::string> words;
    const auto add = [&words](const auto& fields, const auto& object, const auto& defaults) {
        std::ranges::move(arguments(fields, object, defaults), std::back_inserter(words));
    };
    const bool isOfModel = request.source.kind == Kind::Hardware;
    add(costSourceFields(), isOfModel ? withoutPresetNumbers(request.source) : request.source,
        CostSource());
    if (isOfModel)
        add(trainingSetupFields(), request.source.setup, TrainingSetup());
    add(unitCostFields(), applicableCosts(request.source, request.costs), UnitCosts());
    if (request.sync != SyncPolicy::Eager)
        words.insert(words.end(), {"--sync", std::string(syncName(request.sync))});
    if ((isOfModel || request.costs.devicesPerNode > 0)
        && request.schedule.mapping != kDefaultMapping)
        words.insert(words.end(), {"--mapping", request.schedule.mapping});
    return words;
}

std::vector<std::string> timingArguments(const PredictionRequest& request)
{
    std::vector<std::string> words = costArguments(request);
    const ModelSpec defaults;
    ModelSpec passes;
    passes.recompute = request.recompute;
    passes.recomputeAhead = request.recomputeAhead;
    passes.offload = request.offload;
    for (const auto& field : modelFields())
        if (field.get(passes) != field.get(defaults))
            words.insert(words.end(), {field.longFlag(), field.get(passes)});
    if (request.recomputeKeeps)
        words.insert(words.end(), {"--recompute-keeps", textOf(*request.recomputeKeeps)});
    if (request.evict)
        words.insert(words.end(),
                     {"--evict", *request.evict == EvictPolicy::Steady ? "steady" : "lazy"});
    // With --calibrate, --data-parallel is always stated, because its default is then the value of
    // the recorded run.
    if (request.schedule.dataParallel != 1 || request.source.kind == Kind::Recorded)
        words.insert(words.end(),
                     {"--data-parallel", std::to_string(request.schedule.dataParallel)});
    return words;
}

std::vector<std::string> argumentsOf(const PredictionRequest& request)
{
    std::vector<std::string> words{"--schedule", request.scheduleFile};
    if (request.scheduleFile.empty()) {
        ScheduleRequest alone = request.schedule;
        alone.dataParallel = 1; // timingArguments() adds both options
        alone.mapping = kDefaultMapping;
        words = arguments(requestFields(), alone, ScheduleRequest());
    }
    std::ranges::move(timingArguments(request), std::back_inserter(words));
    return words;
}

UnitCosts applicableCosts(const CostSource& source, const UnitCosts& costs)
{
    if (source.isUnits())
        return costs;
    UnitCosts counting;
    counting.rules = costs.rules;
    if (source.kind == Kind::Recorded) {
        counting.rules.joint = {1};
        counting.devicesPerNode = costs.devicesPerNode; // decides which messages cross nodes
    }
    return counting;
}

ScheduleRequest withStages(ScheduleRequest request, int stages)
{
    if (request.devices < 1 || stages % request.devices != 0)
        return request;
    ScheduleRequest same = request;
    same.chunks = stages / request.devices;
    return checkRequest(same) ? same : request;
}

Result<Schedule> withPasses(Schedule schedule, const PredictionRequest& request)
{
    if (request.evict)
        schedule = TRY(withAdvice(addEvictLoad(schedule, *request.evict), "; leave out --evict"));
    if (request.recompute != Recompute::None && !holds(schedule, OpKind::Recompute))
        schedule = addRecompute(schedule);
    if (request.offload)
        schedule = TRY(addOffload(schedule, request.offload->value()));
    if (!request.recomputeAhead)
        return schedule;
    const auto costs = TRY(costsOf(request));
    return recomputeAhead(
        std::move(schedule), {*request.recomputeAhead, costs.recomputeKeeps, request.sync},
        [&](const Schedule& lowered) {
            return opCosts(lowered, costs,
                           {.sync = request.sync, .mapping = request.schedule.mapping});
        });
}

Result<Schedule> orderOf(const PredictionRequest& request)
{
    auto schedule = TRY(request.scheduleFile.empty() ? buildSchedule(asStream(request.schedule, {}))
                                                     : readScheduleFile(request.scheduleFile));
    schedule.shape.dataParallel = request.schedule.dataParallel;
    return withPasses(std::move(schedule), request);
}

Result<ModelOnHardware> modelOnHardware(const CostSource& source)
{
    auto model = TRY(loadTransformer(source.model));
    auto hardware = TRY(loadHardware(source.hardware));
    if (source.layers > 0 && source.layers != model.layers) {
        model.layers = source.layers;
        model.name += fmt::format(" with {} layers", source.layers);
    }
    constexpr double kGiga = 1e9, kGibi = 1 << 30;
    if (source.network > 0 && source.network * kGiga != hardware.network.bandwidth) {
        hardware.network.bandwidth = source.network * kGiga;
        hardware.name += fmt::format(", network {:g} GB/s", source.network);
    }
    if (source.deviceMemory > 0 && source.deviceMemory != std::llround(hardware.memory)) {
        hardware.memory = static_cast<double>(source.deviceMemory);
        hardware.name += fmt::format(", {:g} GiB", hardware.memory / kGibi);
    }
    return ModelOnHardware{std::move(model), std::move(hardware), source.setup};
}

Result<PredictionCosts> costsOf(const PredictionRequest& request)
{
    PredictionCosts costs{applicableCosts(request.source, request.costs), {}, {}, 0};
    TRY(checkUnitCosts(costs.units));
    const bool repeatsAttention = request.recompute == Recompute::Attention;
    if (repeatsAttention && !costs.units.recompute)
        costs.units.recompute = kAttentionShare;
    costs.recomputeKeeps = repeatsAttention ? kAttentionKeeps : 0;
    if (request.source.kind == Kind::Recorded) {
        if (!request.source.run)
            return invalid("no recorded run is selected; select one with the same stages, or use "
                           "costs in units");
        costs.recorded = request.source;
    }
    if (request.source.kind == Kind::Hardware) {
        auto on = TRY(modelOnHardware(request.source));
        on.setup.dataParallel = request.schedule.dataParallel;
        if (repeatsAttention && on.setup.attention == AttentionMode::Flash)
            return invalid("flash attention stores no scores, so there are none to recompute; use "
                           "standard attention, or recompute nothing or everything");
        if (repeatsAttention)
            on.setup.attention = AttentionMode::Recompute;
        if (request.recompute == Recompute::Full)
            on.setup.recomputesAll = true;
        costs.recomputeKeeps = keptShare(on);
        costs.model = std::move(on);
    }
    if (request.recomputeKeeps)
        costs.recomputeKeeps = request.recomputeKeeps->value();
    return costs;
}

namespace {

// The largest number of ops for which spans are kept. Spans, stored costs and transfers need 200
// bytes per op, that is, about 3 GB in total.
constexpr std::size_t kMostWithSpans = std::size_t{1} << 24;

// Returns the bytes per op if the spans of all iterations are kept. Every further iteration adds
// the spans of the op and of two transfers, and a memory event. A stream has the ops of all
// iterations.
int bytesWithSpans(const Schedule& schedule, int iterations)
{
    constexpr int kPerIteration = 3 * sizeof(Span) + sizeof(MemoryEvent);
    return kBytesPerOp + (schedule.shape.windows > 1 ? 0 : iterations - 1) * kPerIteration;
}

bool spansAreFew(const Schedule& schedule, int iterations)
{
    return opCount(schedule) * bytesWithSpans(schedule, iterations) <= kMostWithSpans * kBytesPerOp;
}

// The size of one iteration was checked when the schedule was built.
Result<void> checkIterationsFit(const Schedule& schedule, int iterations)
{
    const int bytes = bytesWithSpans(schedule, iterations);
    if (bytes == kBytesPerOp)
        return {};
    const SizeLimit limit = limitOfMachine(bytes);
    const auto ops = static_cast<std::int64_t>(opCount(schedule));
    if (ops <= limit.ops)
        return {};
    const auto gibi
        = [bytes](std::int64_t count) { return static_cast<double>(count) * bytes / (1 << 30); };
    return invalid("{} iterations of {} ops need {:.1f} GiB, more than the {:.1f} GiB "
                   "available; use fewer --iterations, --micro-batches or --devices",
                   iterations, ops, gibi(ops), gibi(limit.ops));
}

UnitCosts unitsOf(const PredictionCosts& costs, const PredictOptions& options)
{
    UnitCosts units = costs.units;
    units.rules.blockingAllReduce = options.sync == SyncPolicy::EagerBlocking;
    return units;
}

Result<OpPrices> pricesOf(const Schedule& schedule, const PredictionCosts& costs,
                          const PredictOptions& options)
{
    const UnitCosts units = unitsOf(costs, options);
    const auto& model = costs.model;
    const bool keepsNothing = model
        ? model->setup.recomputesAll
        : costs.recomputeKeeps == 0 && holds(schedule, OpKind::Recompute);
    TRY(checkSlices(schedule, model ? model->model.family : Family::Gpt,
                    keepsNothing ? Recompute::Full : Recompute::None));
    auto mapping = TRY(Mapping::of(schedule, options.mapping,
                                   model ? nodeShape(model->hardware, model->setup.tensorParallel)
                                         : NodeShape{units.devicesPerNode}));
    if (model && model->hardware.host.bandwidth == 0 && anyOp(schedule, usesHost))
        return invalid("--offload: {} has no link to host memory; add the table [host] to its file",
                       model->hardware.name);
    if (!model)
        return unitPrices(schedule.shape, units, std::move(mapping));
    auto prices = TRY(
        modelPrices(schedule.shape, *model, std::move(mapping), units.rules,
                    holds(schedule, OpKind::Recompute) ? RecomputeIn::Ops : RecomputeIn::Backward));
    if (holds(schedule, OpKind::Unshard))
        prices.halve(OpKind::AllReduce); // a reduce-scatter
    return prices;
}

// Returns the costs of `lowered` from the recorded run. If there are nodes, the costs depend on the
// mappings of both schedules, and `mapping` is set to a description of the mapping of `lowered`.
Result<OpCosts> recordedCosts(const Schedule& lowered, const PredictionCosts& costs,
                              const PredictOptions& options, std::string& mapping)
{
    const UnitCosts units = unitsOf(costs, options);
    const Run& run = *costs.recorded.run;
    CalibrateOptions how{units.devicesPerNode};
    how.inputShare = costs.recorded.inputShare;
    how.rules = units.rules;
    if (units.devicesPerNode > 0) {
        const NodeShape nodes{units.devicesPerNode};
        const auto experiment = experimentFromToml(run.info.experiment);
        how.ofRun = TRY(Mapping::of(
            run.schedule, experiment ? experiment->schedule.mapping : ScheduleRequest().mapping,
            nodes));
        how.ofSchedule = TRY(Mapping::of(lowered, options.mapping, nodes));
        mapping = describe(*how.ofSchedule);
    }
    return calibratedCosts(run, lowered, how);
}

void describe(PredictedRun& one, const PredictionCosts& costs, int iterations)
{
    RunInfo& info = one.run.info;
    const Schedule& schedule = one.run.schedule;
    info.scheme = schedule.scheme;
    info.label = labelOf(schedule.scheme);
    info.mode = Mode::Simulate;
    info.outcome = Outcome::Finished;
    info.recomputeKeeps = costs.recomputeKeeps;
    info.link = linkText(costs.units);
    info.plannedWarmup = 0;
    info.plannedIterations = iterations;
    if (costs.model)
        describeModel(*costs.model, schedule.shape, info);
    if (costs.recorded.run)
        describeRecorded(*costs.recorded.run, costs.recorded.file, schedule.shape, info);
    else if (!one.mapping.empty())
        info.link += ", " + one.mapping;
    info.link += blockingText(costs.units.rules);
}

std::string mappingText(const OpPrices& prices)
{
    return prices.mapping.isOneNode() ? "" : describe(prices.mapping);
}

// Simulates a schedule and keeps the spans. `prices` is nullptr if the costs are those of a
// recorded run.
Result<PredictedRun> withSpans(Schedule lowered, const OpPrices* prices,
                               const PredictionCosts& costs, const PredictOptions& options)
{
    PredictedRun one;
    Run& run = one.run;
    run.schedule = std::move(lowered);
    const Schedule& schedule = run.schedule;
    if (prices != nullptr)
        one.mapping = mappingText(*prices);
    const auto ops = TRY(prices == nullptr ? recordedCosts(schedule, costs, options, one.mapping)
                                           : resolved(schedule, *prices));
    run.timeline = TRY(simulate(schedule, ops, {.iterations = options.iterations}));
    const int stages = schedule.shape.stages;
    if (costs.model)
        run.timeline.memory = simulatedMemory(
            schedule, run.timeline,
            stageBytes(*costs.model, stages, rebuiltBy(schedule, costs.model->setup)),
            options.sync == SyncPolicy::EagerBlocking ? AllReduceMemory::Flattened
                                                      : AllReduceMemory::InPlace);
    run.info.ticksPerUnit = ops.ticksPerUnit;
    describe(one, costs, options.iterations);
    one.metrics = TRY(metrics(run));
    if (prices != nullptr && costs.model && options.needsLoads)
        one.loads = TRY(linkLoads(run, prices->mapping, transferBytes(*costs.model, stages),
                                  one.metrics.iteration));
    return one;
}

// Adds all-reduces and optimizer steps, unless they take no time and block nothing.
Schedule withSteps(Schedule schedule, const OpPrices& prices, SyncPolicy sync)
{
    if (prices.isFree(OpKind::OptimizerStep) && prices.isFree(OpKind::AllReduce)
        && !prices.rules.blockingAllReduce)
        return schedule;
    return addOptimizer(addAllReduce(std::move(schedule), sync));
}

Result<PredictedRun> withoutSpans(Schedule order, const OpPrices& prices,
                                  const PredictionCosts& costs, const PredictOptions& options)
{
    PredictedRun one;
    one.hasSpans = false;
    one.mapping = mappingText(prices);
    Run& run = one.run;
    run.schedule = withSteps(std::move(order), prices, options.sync);
    const auto summaries
        = TRY(summarize(run.schedule, prices, {options.iterations, costs.recomputeKeeps}));
    for (const IterationSummary& summary : summaries) {
        Iteration iteration;
        iteration.number = static_cast<int>(run.timeline.iterations.size());
        iteration.window = summary.window;
        run.timeline.iterations.push_back(std::move(iteration));
    }
    run.info.ticksPerUnit = prices.ticksPerUnit;
    describe(one, costs, options.iterations);
    const int reported = reportedIteration(run.timeline);
    one.metrics = metrics(run.schedule, summaries[reported]);
    one.metrics.iteration = reported;
    addRates(run.info, run.info.peakFlops, run.schedule.shape.dataParallel, one.metrics);
    return one;
}

} // namespace

std::string labelOf(const std::string& scheme)
{
    const Scheme* known = findScheme(scheme);
    const std::string_view title = known ? known->title : std::string_view(scheme);
    return std::string(title.substr(0, title.find(" (")));
}

Result<PredictedRun> predict(Schedule order, const PredictionCosts& costs,
                             const PredictOptions& options)
{
    std::optional<OpPrices> prices;
    if (!costs.recorded.run)
        prices = TRY(pricesOf(order, costs, options));
    // Without spans there are no RECVs, whose places matter if receives are deferred.
    const bool receivesWait = prices && prices->rules.receive == ReceiveRule::Deferred
        && (!prices->isCommunicationFree() || hasTransfers(order));
    const bool needsSpans = !prices || options.needsSpans || receivesWait || order.shape.windows > 1
        || (spansAreFew(order, options.iterations) && checkIterationsFit(order, options.iterations)
            && (!prices->isCommunicationFree() || hasTransfers(order)));
    if (!needsSpans)
        return withoutSpans(std::move(order), *prices, costs, options);
    TRY(checkIterationsFit(order, options.iterations));
    return withSpans(lower(order, options.sync), prices ? &*prices : nullptr, costs, options);
}

Result<PredictedRun> predictLowered(Schedule lowered, const PredictionCosts& costs,
                                    const PredictOptions& options)
{
    if (costs.recorded.run)
        return withSpans(std::move(lowered), nullptr, costs, options);
    const auto prices = TRY(pricesOf(lowered, costs, options));
    return withSpans(std::move(lowered), &prices, costs, options);
}

Result<OpCosts> opCosts(const Schedule& lowered, const PredictionCosts& costs,
                        const PredictOptions& options)
{
    std::string mapping;
    if (costs.recorded.run)
        return recordedCosts(lowered, costs, options, mapping);
    const auto prices = TRY(pricesOf(lowered, costs, options));
    return resolved(lowered, prices);
}

PreparedSchedule preparedSchedule(const Schedule& order, std::string label, SyncPolicy sync)
{
    PreparedSchedule prepared{{}, validate(order), opCount(order), std::move(label)};
    if (prepared.violations.empty())
        prepared.lowered = lower(order, sync);
    return prepared;
}

Result<PreparedSchedule> preparedSchedule(const PredictionRequest& request)
{
    const auto order = TRY(orderOf(request));
    TRY(checkSync(order, request.sync));
    const std::string& file = request.scheduleFile;
    return preparedSchedule(
        order, file.empty() ? labelOf(request.schedule.scheme) : file.substr(file.rfind('/') + 1),
        request.sync);
}

Result<Run> schematic(const Run& run)
{
    auto drawn = TRY(predictLowered(run.schedule, {}, {.needsLoads = false}));
    RunInfo info = run.info;
    info.mode = Mode::Simulate;
    info.ticksPerUnit = drawn.run.info.ticksPerUnit;
    drawn.run.info = std::move(info);
    return std::move(drawn.run);
}

Result<Run> schematic(const Experiment& experiment)
{
    Run run;
    run.schedule = TRY(scheduleOf(experiment, Windows::One));
    run.info.scheme = run.schedule.scheme;
    run.info.label = labelOf(run.info.scheme);
    run.info.outcome = Outcome::Finished;
    return schematic(run);
}

} // namespace profiler
