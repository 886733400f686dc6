#include "profiler/predict/request.h"

#include "engine/base/try.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/transfers.h"
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
    field.get = [member](const CostSource& source) {
        return source.*member > 0 ? numberText(source.*member) : std::string();
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
                    return fail(Error::Code::InvalidArgument,
                                fmt::format("--split-backward {}: must be the share of I in B, "
                                            "between 0 and 1",
                                            excerpt(text)));
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
                option("", "--network", "Network GB/s",
                       "Bandwidth of a NIC in GB/s, one direction, in place of that of --hardware",
                       "GB/S")
                    .between(1e-3, 1e5),
                &CostSource::network)};
        const auto offer = [](FieldFacts& facts, const std::vector<std::string>& names) {
            facts.names.assign(names.begin(), names.end()); // a form lists them
        };
        static const std::vector<std::string> kModelNames = transformerNames(),
                                              kHardwareNames = hardwareNames();
        offer(fields[0], kModelNames);
        offer(fields[1], kHardwareNames);
        fields[0].group = fields[1].group = "Model on hardware";
        fields[4].group = fields[5].group = fields[0].group;
        fields[2].group = fields[3].group = "Costs of a recorded run";
        return fields;
    }();
    return kFields;
}

bool PredictionRequest::hasSameOrder(const PredictionRequest& other) const
{
    return schedule == other.schedule && scheduleFile == other.scheduleFile && sync == other.sync
        && recompute == other.recompute && evict == other.evict;
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

Result<Schedule> withPasses(Schedule schedule, const std::optional<EvictPolicy>& evict,
                            Recompute recompute)
{
    if (evict) {
        auto evicting = addEvictLoad(schedule, *evict);
        if (!evicting)
            return fail(evicting.error().code, evicting.error().message + "; leave out --evict");
        schedule = *std::move(evicting);
    }
    if (recompute == Recompute::None || holds(schedule, OpKind::Recompute))
        return schedule;
    return addRecompute(schedule);
}

Result<Schedule> orderOf(const PredictionRequest& request)
{
    auto schedule = TRY(request.scheduleFile.empty() ? buildSchedule(asStream(request.schedule, {}))
                                                     : readScheduleFile(request.scheduleFile));
    schedule = TRY(withPasses(std::move(schedule), request.evict, request.recompute));
    schedule.shape.dataParallel = request.schedule.dataParallel;
    return schedule;
}

Result<ModelOnHardware> modelOnHardware(const CostSource& source)
{
    auto model = TRY(loadTransformer(source.model));
    auto hardware = TRY(loadHardware(source.hardware));
    if (source.layers > 0) {
        model.layers = source.layers;
        model.name += fmt::format(" with {} layers", source.layers);
    }
    if (source.network > 0) {
        constexpr double kGiga = 1e9;
        hardware.network.bandwidth = source.network * kGiga;
        hardware.name += fmt::format(", network {:g} GB/s", source.network);
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
            return fail(Error::Code::InvalidArgument,
                        "no recorded run is selected; select one with the same stages, or use "
                        "costs in units");
        costs.recorded = request.source;
    }
    if (request.source.kind != Kind::Hardware)
        return costs;
    auto on = TRY(modelOnHardware(request.source));
    on.setup.dataParallel = request.schedule.dataParallel;
    if (repeatsAttention)
        on.setup.attention = AttentionMode::Recompute;
    if (request.recompute == Recompute::Full)
        on.setup.recomputesAll = true;
    costs.recomputeKeeps = keptShare(on);
    costs.model = std::move(on);
    return costs;
}

} // namespace profiler
