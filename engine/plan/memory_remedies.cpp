#include "engine/experiment/experiment_schedule.h"
#include "engine/model/transformer.h"
#include "engine/plan/memory_fit.h"
#include "engine/plan/token_batches.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

namespace engine {
namespace {

// Limits the size of alternatives, so that planning them takes little time.
constexpr std::size_t kMostOps = 100'000;

// nullopt if the experiment cannot run or has too many ops.
std::optional<MemoryNeed> needOf(const Experiment& experiment, const MemorySpaces& spaces,
                                 const Device& device)
{
    const auto lowered = scheduleOf(experiment);
    if (!lowered || opCount(*lowered) > kMostOps
        || !checkModel(experiment.model, lowered->shape.stages)
        || !checkPrecision(experiment.model.precision, device))
        return std::nullopt;
    const auto pass = passSpec(experiment.model, *lowered);
    if (!pass)
        return std::nullopt;
    const auto model = makeTransformer(pass->model, lowered->shape.stages, device, pass->slices);
    const Bytes tokens = TokenBatches::bytes(experiment.model, lowered->shape.allMicroBatches());
    const ExecutionPlan plan = planExecution({*lowered, *model, experiment.accumulate, tokens});
    return memoryNeed(experiment, *lowered, plan, spaces);
}

class Remedies
{
public:
    Remedies(const Experiment& experiment, const MemorySpaces& spaces, const Device& device)
        : m_experiment(experiment)
        , m_spaces(spaces)
        , m_device(device)
    { }

    std::vector<Remedy> all()
    {
        const ModelSpec& model = m_experiment.model;
        halve("--micro-batch-size {}", model.microBatchSize,
              [](Experiment& e, int size) { e.model.microBatchSize = size; });
        halve("--data-parallel {}", m_experiment.schedule.dataParallel,
              [](Experiment& e, int copies) { e.schedule.dataParallel = copies; });
        if (m_experiment.scheduleFile.empty()) {
            halve("--micro-batches {}", m_experiment.schedule.microBatches,
                  [](Experiment& e, int count) { e.schedule.microBatches = count; });
            for (const char* scheme : {"1f1b", "bpipe", "v-half", "v-min"})
                if (m_experiment.schedule.scheme != scheme)
                    tryOne(fmt::format("--scheme {}", scheme), [&](Experiment& e) {
                        e.schedule.scheme = scheme;
                        e.schedule.chunks = 0;
                        e.schedule.options.clear();
                    });
        }
        if (model.attention == AttentionKind::Standard)
            tryOne("--attention flash",
                   [](Experiment& e) { e.model.attention = AttentionKind::Flash; });
        if (model.recompute == Recompute::None)
            tryOne("--recompute attention",
                   [](Experiment& e) { e.model.recompute = Recompute::Attention; });
        if (model.recompute != Recompute::Full)
            tryOne("--recompute full", [](Experiment& e) { e.model.recompute = Recompute::Full; });
        if (model.recomputeAhead)
            tryOne("--recompute-ahead off", [](Experiment& e) { e.model.recomputeAhead.reset(); });
        offload();
        if (model.precision != Precision::Bf16)
            tryOne("--precision bf16", [](Experiment& e) { e.model.precision = Precision::Bf16; });
        if (m_experiment.transport == TransportChoice::Nccl)
            tryOne("--transport peer", [](Experiment& e) { e.transport = TransportChoice::Peer; });
        return std::move(m_remedies);
    }

private:
    bool tryOne(std::string option, const std::function<void(Experiment&)>& change)
    {
        Experiment changed = m_experiment;
        change(changed);
        const auto need = needOf(changed, m_spaces, m_device);
        if (!need || !fits(*need, changed, m_spaces))
            return false;
        m_remedies.push_back({std::move(option), std::move(changed), *need});
        return true;
    }

    void offload()
    {
        for (int most = m_experiment.schedule.devices; most > 0 && !m_experiment.model.offload;
             --most)
            if (tryOne(fmt::format("--offload {}", most),
                       [most](Experiment& e) { e.model.offload = Fraction{most}; }))
                return;
    }

    // Tries `value` / 2, / 4, ... and keeps the largest that fits.
    void halve(const char* option, int value, const std::function<void(Experiment&, int)>& change)
    {
        while ((value /= 2) > 0)
            if (tryOne(fmt::format(fmt::runtime(option), value),
                       [&](Experiment& e) { change(e, value); }))
                return;
    }

    const Experiment& m_experiment;
    const MemorySpaces& m_spaces;
    const Device& m_device;
    std::vector<Remedy> m_remedies;
};

} // namespace

std::vector<Remedy> remediesFor(const Experiment& experiment, const MemorySpaces& spaces,
                                const Device& device)
{
    return Remedies(experiment, spaces, device).all();
}

} // namespace engine
