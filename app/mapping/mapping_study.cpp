#include "app/mapping/mapping_study.h"

#include "app/mapping/mapping_text.h"
#include "app/ui/text.h"
#include "engine/base/try.h"

#include <algorithm>

namespace app {
namespace {

using engine::Result;

// The prediction needs loads.
MappedPrediction mappedOf(const Prediction& prediction, const PredictionRequest& request)
{
    return {fromUtf8(request.schedule.mapping), {}, prediction.metrics.duration, *prediction.loads};
}

// Predicts with the mapping of `request`. If that fails, the problem of the result is the reason.
MappedPrediction otherMapping(const PreparedSchedule& prepared, const PredictionRequest& request)
{
    if (const auto prediction = predict(prepared, request, Loads::Yes))
        return mappedOf(*prediction, request);
    else
        return {fromUtf8(request.schedule.mapping), fromUtf8(prediction.error().message), 0, {}};
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

tl::unexpected<engine::Error> studyCancelled()
{
    return engine::fail(engine::Error::Code::Cancelled, "cancelled");
}

// Simulates the memory that a request needs with other micro-batch sizes.
class MemoryTrials
{
public:
    MemoryTrials(const PredictionRequest& request, const engine::MemoryCapacity& memory,
                 std::function<bool()> cancelled)
        : m_request(request)
        , m_memory(memory)
        , m_isCancelled(std::move(cancelled))
    { }

    std::optional<MemoryFit> fit(int microBatchSize, bool recomputesAll)
    {
        if (m_isCancelled && m_isCancelled())
            return {};
        PredictionRequest other = m_request;
        other.source.setup.microBatchSize = microBatchSize;
        other.source.setup.recomputesAll = recomputesAll;
        if (!m_prepared) {
            auto prepared = prepare(other);
            if (!prepared)
                return {};
            m_prepared = *std::move(prepared);
        }
        const auto prediction = predict(*m_prepared, other);
        if (!prediction)
            return {};
        return MemoryFit{microBatchSize, recomputesAll,
                         predictedPeaks(prediction->run.get(), prediction->metrics), m_memory};
    }

private:
    const PredictionRequest& m_request;
    engine::MemoryCapacity m_memory;
    std::function<bool()> m_isCancelled;
    std::optional<PreparedSchedule> m_prepared;
};

bool fits(const std::optional<MemoryFit>& fit)
{
    return fit && !fit->devices.isEmpty() && fit->fits();
}

// Finds by bisection the largest micro-batch size in [least, most] that fits; nullopt if none fits.
std::optional<MemoryFit> largest(MemoryTrials& trials, int least, int most, bool recomputesAll)
{
    std::optional<MemoryFit> best;
    while (least <= most) {
        const int middle = least + (most - least) / 2;
        auto fit = trials.fit(middle, recomputesAll);
        if (fits(fit)) {
            best = std::move(fit);
            least = middle + 1;
        } else {
            most = middle - 1;
        }
    }
    return best;
}

} // namespace

bool hasNodes(const PredictionRequest& request)
{
    return request.source.kind == CostSource::Kind::Hardware;
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
        return engine::invalid(prepared.violations.front().message);
    auto costs = TRY(profiler::costsOf(request));
    MappingStudy study;
    study.on = std::make_shared<const engine::ModelOnHardware>(*std::move(costs.model));
    study.prediction
        = std::make_shared<const Prediction>(TRY(predict(prepared, request, Loads::Yes)));
    const MappedPrediction shown = mappedOf(*study.prediction, request);
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
        study.all.push_back(isShown ? shown : otherMapping(prepared, other));
    }
    if (shown.mapping.endsWith(QStringLiteral(".toml"))) {
        study.chosen = study.all.size();
        study.all.push_back(shown);
    }
    return study;
}

std::vector<StageSizes> stageSizes(const engine::ModelOnHardware& on, int stages,
                                   engine::Rebuilt rebuilt)
{
    const auto bytes = engine::stageBytes(on, stages, rebuilt);
    std::vector<StageSizes> all;
    for (int stage = 0; stage < stages; ++stage) {
        StageSizes one{stage, stage, engine::layersOf(on.model, on.setup, stages, stage),
                       0,     0,     bytes[engine::StageId{stage}]};
        const double b = on.setup.microBatchSize;
        one.parameters
            = on.setup.tensorParallel * engine::stageParameters(on.model, on.setup, stages, stage);
        one.forwardFlops
            = one.layers * (engine::layerFlops(on.model, b) + engine::attentionFlops(on.model, b));
        if (stage == 0)
            one.forwardFlops += engine::embeddingFlops(on.model, b);
        if (stage == stages - 1)
            one.forwardFlops += engine::headFlops(on.model, b);
        const bool isSame = !all.empty() && all.back().layers == one.layers
            && all.back().parameters == one.parameters
            && all.back().forwardFlops == one.forwardFlops
            && all.back().bytes.stash == one.bytes.stash;
        if (isSame)
            all.back().last = stage;
        else
            all.push_back(one);
    }
    return all;
}

Result<ModelFacts> modelFacts(const PredictionRequest& request, const MappingStudy& study,
                              const std::function<bool()>& isCancelled)
{
    const engine::Schedule& schedule = study.prediction->run->schedule;
    const engine::TrainingSetup& setup = study.on->setup;
    ModelFacts facts;
    facts.stages = stageSizes(*study.on, schedule.shape.stages,
                              engine::rebuiltBy(schedule, study.on->setup));
    facts.now = {setup.microBatchSize, setup.recomputesAll,
                 predictedPeaks(study.prediction->run.get(), study.prediction->metrics),
                 study.on->memory()};
    if (facts.now.devices.isEmpty() || !facts.now.memory.isKnown())
        return facts;
    MemoryTrials trials(request, facts.now.memory, isCancelled);
    const int b = setup.microBatchSize;
    const bool fitsNow = facts.now.fits();
    if (fitsNow)
        facts.twice = trials.fit(2 * b, setup.recomputesAll);
    if (fits(facts.twice))
        return facts;
    const int wished = fitsNow ? 2 * b : b;
    if (auto smaller = largest(trials, fitsNow ? b + 1 : 1, wished - 1, setup.recomputesAll))
        facts.remedies.push_back(*std::move(smaller));
    if (!setup.recomputesAll)
        if (auto recomputed = trials.fit(wished, true); fits(recomputed))
            facts.remedies.push_back(*std::move(recomputed));
    if (isCancelled && isCancelled())
        return engine::fail(engine::Error::Code::Cancelled, "cancelled");
    return facts;
}

} // namespace app
