#include "app/mapping/model_facts.h"

#include <algorithm>

namespace app {
namespace {

using engine::Result;

// Simulates the memory that a request needs with other micro-batch sizes.
class MemoryTrials
{
public:
    MemoryTrials(const PredictionRequest& request, double capacity, std::function<bool()> cancelled)
        : m_request(request)
        , m_capacity(capacity)
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
        return MemoryFit{microBatchSize, recomputesAll, devicePeaks(*prediction), m_capacity};
    }

private:
    const PredictionRequest& m_request;
    double m_capacity = 0;
    std::function<bool()> m_isCancelled;
    std::optional<PreparedSchedule> m_prepared;
};

bool fits(const std::optional<MemoryFit>& fit)
{
    return fit && !fit->devices.empty() && fit->fits();
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

int MemoryFit::fullest() const
{
    return static_cast<int>(std::ranges::max_element(devices, {}, &DevicePeak::sum)
                            - devices.begin());
}

std::vector<StageSizes> stageSizes(const engine::ModelOnHardware& on, int stages,
                                   engine::Rebuilt rebuilt)
{
    const auto bytes = engine::stageBytes(on, stages, rebuilt);
    std::vector<StageSizes> all;
    for (int stage = 0; stage < stages; ++stage) {
        StageSizes one{stage, stage, engine::layersOf(on.model, stages, stage),
                       0,     0,     bytes[engine::StageId{stage}]};
        const double b = on.setup.microBatchSize;
        one.parameters
            = on.setup.tensorParallel * engine::stageParameters(on.model, on.setup, stages, stage);
        one.forwardFlops
            = one.layers * (engine::layerFlops(on.model, b) + engine::attentionFlops(on.model, b));
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
    facts.now = {setup.microBatchSize, setup.recomputesAll, devicePeaks(*study.prediction),
                 study.on->hardware.memory};
    if (facts.now.devices.empty() || facts.now.capacity <= 0)
        return facts;
    MemoryTrials trials(request, facts.now.capacity, isCancelled);
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
