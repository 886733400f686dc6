#include "app/mapping/mapping_study.h"

#include "app/mapping/mapping_text.h"
#include "app/ui/text.h"
#include "engine/base/try.h"

namespace app {
namespace {

using engine::Result;

Result<MappedPrediction> mappedOf(const Prediction& prediction, const PredictionRequest& request,
                                  const engine::ModelOnHardware& on)
{
    const engine::Run& run = *prediction.run;
    const auto mapping
        = TRY(engine::Mapping::of(run.schedule, request.schedule.mapping,
                                  engine::nodeShape(on.hardware, on.setup.tensorParallel)));
    auto loads = TRY(
        profiler::linkLoads(run, mapping, profiler::transferBytes(on, run.schedule.shape.stages)));
    return MappedPrediction{QString::fromStdString(request.schedule.mapping),
                            {},
                            prediction.metrics.duration,
                            std::move(loads)};
}

Result<std::shared_ptr<const Prediction>> predictedRun(const PreparedSchedule& prepared,
                                                       const PredictionRequest& request)
{
    auto prediction = TRY(predict(prepared, request));
    return std::make_shared<const Prediction>(std::move(prediction));
}

// Predicts with the mapping of `request`. If that fails, the problem of the result is the reason.
MappedPrediction otherMapping(const PreparedSchedule& prepared, const PredictionRequest& request,
                              const engine::ModelOnHardware& on)
{
    const auto prediction = predictedRun(prepared, request);
    auto mapped = prediction ? mappedOf(**prediction, request, on)
                             : Result<MappedPrediction>(tl::unexpected(prediction.error()));
    if (mapped)
        return *std::move(mapped);
    MappedPrediction failed;
    failed.mapping = QString::fromStdString(request.schedule.mapping);
    failed.problem = fromUtf8(mapped.error().message);
    return failed;
}

QString stagesOn(const engine::Schedule& schedule, int replica, int device)
{
    QStringList stages;
    const auto& deviceOf = schedule.deviceOf[static_cast<std::size_t>(replica)];
    for (const engine::StageId stage : deviceOf.ids())
        if (deviceOf[stage].value == device)
            stages.append(QString::number(stage.value));
    return stages.join(QLatin1Char(' '));
}

tl::unexpected<engine::Error> studyCancelled()
{
    return engine::fail(engine::Error::Code::Cancelled, "cancelled");
}

} // namespace

bool hasNodes(const PredictionRequest& request)
{
    return request.source.kind == CostSource::Kind::Hardware;
}

std::vector<NodeContents> nodesOf(const engine::Schedule& schedule, const engine::Mapping& mapping,
                                  const profiler::LinkLoads& loads)
{
    const int devices = schedule.shape.devices, copies = schedule.shape.dataParallel;
    const int perNode = mapping.isOneNode() ? devices * copies : mapping.shape().slots;
    std::vector<NodeContents> nodes(static_cast<std::size_t>(mapping.nodes()));
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        nodes[node].node = static_cast<int>(node);
        for (int i = 0; i < perNode; ++i)
            nodes[node].slots.push_back({static_cast<int>(node) * perNode + i, -1, 0, {}});
    }
    std::vector<QStringList> stages;
    for (int d = 0; d < devices; ++d) {
        stages.emplace_back();
        for (std::size_t r = 0; r < schedule.deviceOf.size(); ++r)
            stages.back().append(stagesOn(schedule, static_cast<int>(r), d));
    }
    for (int w = 0; w < copies; ++w)
        for (int d = 0; d < devices; ++d) {
            const int slot
                = mapping.isOneNode() ? w * devices + d : mapping.slot(engine::DeviceId{d}, w);
            NodeSlot& place = nodes[static_cast<std::size_t>(slot / perNode)]
                                  .slots[static_cast<std::size_t>(slot % perNode)];
            place = {slot, d, w, stages[static_cast<std::size_t>(d)]};
        }
    for (NodeContents& node : nodes)
        node.summary = nodeSummary(node, loads);
    return nodes;
}

Result<MappingStudy> studyMappings(const PredictionRequest& request,
                                   const std::function<bool()>& isCancelled)
{
    if (!hasNodes(request))
        return engine::fail(engine::Error::Code::Unsupported,
                            "the costs are not from hardware; choose hardware as their source");
    const auto isDropped = [&] { return isCancelled && isCancelled(); };
    const auto prepared = TRY(prepare(request));
    if (!prepared.violations.empty())
        return engine::fail(engine::Error::Code::InvalidArgument,
                            prepared.violations.front().message);
    auto on = TRY(
        modelOnHardware(request.source, request.recompute, prepared.lowered.shape.dataParallel));
    MappingStudy study;
    study.on = std::make_shared<const engine::ModelOnHardware>(std::move(on));
    study.prediction = TRY(predictedRun(prepared, request));
    auto shown = TRY(mappedOf(*study.prediction, request, *study.on));
    study.shape = engine::nodeShape(study.on->hardware, study.on->setup.tensorParallel);
    const auto mapping = engine::Mapping::of(study.prediction->run->schedule,
                                             request.schedule.mapping, study.shape);
    study.nodes = nodesOf(study.prediction->run->schedule, *mapping, shown.loads);
    for (const std::string_view name : engine::kMappingNames) {
        if (isDropped())
            return studyCancelled();
        PredictionRequest other = request;
        other.schedule.mapping = name;
        const bool isShown = name == request.schedule.mapping;
        if (isShown)
            study.chosen = study.all.size();
        study.all.push_back(isShown ? shown : otherMapping(prepared, other, *study.on));
    }
    if (shown.mapping.endsWith(QStringLiteral(".toml"))) {
        study.chosen = study.all.size();
        study.all.push_back(std::move(shown));
    }
    return study;
}

} // namespace app
