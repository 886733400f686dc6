#include "profiler/search/balance.h"

#include "engine/base/try.h"
#include "profiler/whatif/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

using Move = std::pair<std::size_t, std::size_t>; // of one layer, from and to a stage

class Balance
{
public:
    Balance(std::vector<int> layers, const ScoreLayout& score)
        : m_layers(std::move(layers))
        , m_score(score)
    {
        for (std::size_t from = 0; from < m_layers.size(); ++from)
            for (std::size_t to = 0; to < m_layers.size(); ++to)
                if (from != to)
                    m_moves.emplace_back(from, to);
    }

    Result<std::vector<int>> run()
    {
        constexpr std::size_t kMostForPairs = 6;
        m_best = TRY(m_score(LayerLayout(m_layers)));
        for (bool improved = true; improved;) {
            improved = TRY(tryEach([this](const Move& move) { return attempt({move}); }));
            if (!improved && m_layers.size() <= kMostForPairs)
                improved = TRY(tryEach([this](const Move& first) {
                    return tryEach([&](const Move& second) { return attempt({first, second}); });
                }));
        }
        return m_layers;
    }

private:
    // Whether one of the moves improved the layout.
    template<class Try>
    Result<bool> tryEach(Try tryOne)
    {
        bool improved = false;
        for (const Move& move : m_moves)
            improved = TRY(tryOne(move)) || improved;
        return improved;
    }

    Result<bool> attempt(std::initializer_list<Move> moves)
    {
        std::vector<int> next = m_layers;
        for (const auto& [from, to] : moves) {
            --next[from];
            ++next[to];
        }
        if (next == m_layers || std::ranges::min(next) < 1)
            return false;
        const auto score = TRY(m_score(LayerLayout(next)));
        if (score >= m_best)
            return false;
        m_best = score;
        m_layers = std::move(next);
        return true;
    }

    std::vector<int> m_layers;
    const ScoreLayout& m_score;
    std::vector<Move> m_moves;
    LayoutScore m_best;
};

Result<LayoutTask> onHardware(const PredictionRequest& request, const Schedule& schedule,
                              const std::string& memory)
{
    const auto costs = TRY(costsOf(request));
    const ModelOnHardware& on = *costs.model;
    TRY(checkParallel(on.model, on.setup, schedule.shape.stages));
    const PredictOptions how{
        .sync = request.sync, .mapping = request.schedule.mapping, .needsLoads = false};
    return LayoutTask{schedule, fmt::format("{} on {}", on.model.name, on.hardware.name),
                      on.setup.layout.counts(on.model.layers, schedule.shape.stages),
                      TRY(memoryLimit(memory, costs)),
                      [=](const LayerLayout& layout, bool needsSpans) {
                          PredictionCosts changed = costs;
                          changed.model->setup.layout = layout;
                          PredictOptions options = how;
                          options.needsSpans = needsSpans;
                          return predict(schedule, changed, options);
                      }};
}

Result<LayoutTask> ofRun(const PredictionRequest& request, const Schedule& schedule,
                         const std::string& memory)
{
    const Run& run = *request.source.run;
    const int layers = modelLayers(run);
    if (!memory.empty())
        return invalid(
            "--memory: the memory of a run with other layers per stage is unknown; leave "
            "it out, or give a model and --hardware");
    if (layers == 0)
        return fail(Error::Code::Unsupported,
                    "the run does not state the layers of its model; give a model and --hardware");
    TRY(LayerLayout().check("the model", layers, schedule.shape.stages));
    auto before = stageLayers(run);
    if (schedule.shape.stages != run.schedule.shape.stages)
        before = LayerLayout().counts(layers, schedule.shape.stages);
    const auto measured = TRY(WhatIfPredictor::create(run));
    return LayoutTask{schedule,
                      fmt::format("the times of {}", request.source.file),
                      before,
                      {},
                      [=](const LayerLayout& layout, bool) -> Result<PredictedRun> {
                          WhatIfChanges changes;
                          changes.layout = layout;
                          const auto predictor = TRY(withChanges(measured, changes));
                          PredictedRun one;
                          one.run = TRY(predictor.predict({schedule, 1, 0})).run;
                          one.metrics = TRY(metrics(one.run));
                          return one;
                      }};
}

} // namespace

LayoutScore LayoutScore::of(const RunMetrics& metrics, const MemoryLimit& limit)
{
    LayoutScore score{.iteration = metrics.duration};
    for (const DeviceId d : metrics.devices.ids()) {
        const DeviceMetrics& device = metrics.devices[d];
        const double compute = device.compute;
        score.unevenness += compute * compute;
        if (!limit.of.empty() && device.peakBytes)
            score.excess = std::max(score.excess,
                                    static_cast<double>(*device.peakBytes)
                                        - limit.on(static_cast<std::size_t>(d.value)));
    }
    return score;
}

Result<LayoutTask> LayoutTask::create(const PredictionRequest& request, Schedule schedule,
                                      const std::string& memory)
{
    if (request.source.isUnits())
        return invalid("layers have no times: give a model and --hardware, or --calibrate RUN");
    schedule.shape.dataParallel = request.schedule.dataParallel;
    auto task = TRY(request.source.kind == CostSource::Kind::Recorded
                        ? ofRun(request, schedule, memory)
                        : onHardware(request, schedule, memory));
    if (!task.limit.of.empty() && !task.limit.isInBytes)
        return invalid("--memory {}: M_a do not depend on the layers of a stage; give "
                       "bytes, as in 40GiB",
                       memory);
    return task;
}

Result<LayoutScore> LayoutTask::score(const LayerLayout& layout) const
{
    return predict(layout, false).map([&](const PredictedRun& run) {
        return LayoutScore::of(run.metrics, limit);
    });
}

Result<std::vector<int>> balancedLayers(std::vector<int> layers, const ScoreLayout& score)
{
    return Balance(std::move(layers), score).run();
}

} // namespace profiler
