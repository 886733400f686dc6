#include "engine/verify/reference.h"

#include "engine/base/check.h"
#include "engine/model/transformer.h"
#include "engine/plan/stash_plan.h"

#include <algorithm>

namespace engine {

SequentialTrainer::SequentialTrainer(const PipelineModel<float>& model,
                                     const Kernels<float>& kernels, std::uint64_t seed,
                                     Accumulate accumulate)
    : m_model(model)
    , m_kernels(kernels)
    , m_sizes(model.sizes(StageId{0}))
    , m_weights(m_sizes.bytes(m_sizes.parameters))
    , m_optimizer(m_sizes.optimizer())
    , m_gradients(m_sizes.parameters)
    , m_sums(accumulate == Accumulate::Exact ? m_sizes.parameters : 0)
    , m_state(StageId{0}, {m_weights, m_optimizer, m_gradients, m_sums}, kernels, accumulate)
    , m_stash(m_sizes.bytes(m_sizes.stash))
    , m_workspace(m_sizes.bytes(m_sizes.workspace))
{
    CHECK(model.stages() == 1);
    model.initialize(StageId{0}, seed, m_weights, std::span(m_optimizer).first(m_sizes.masters));
}

double SequentialTrainer::accumulate(TokenBatches& batches, int microBatches, int units)
{
    const double tokens = batches.tokensPerMicroBatch();
    double loss = 0;
    for (int m = 0; m < microBatches; ++m) {
        double sum = 0;
        for (int u = 0; u < units; ++u)
            sum += addUnit(partOf(batches.of(m), u, units), tokens * microBatches);
        loss += sum / tokens;
    }
    if (const auto tied = m_model.tied())
        sumTied(m_kernels, *tied, m_state.gradients, m_state.gradients);
    return loss / microBatches;
}

double SequentialTrainer::addUnit(TokenBatch tokens, double tokensOfIteration)
{
    double loss = 0;
    m_model.forward(StageId{0},
                    {.weights = m_state.weights,
                     .input = {},
                     .stash = m_stash,
                     .output = {},
                     .workspace = m_workspace,
                     .tokens = tokens,
                     .loss = &loss});
    m_model.backward(StageId{0},
                     {m_state.weights,
                      m_stash,
                      {},
                      {},
                      m_state.gradients.target(),
                      m_workspace,
                      tokens,
                      m_model.lossScale(tokensOfIteration)});
    m_state.gradients.endMicroBatch();
    return loss;
}

VersionRule versionRule(std::string_view scheme, int stages, int updateEvery)
{
    if (scheme == "pipedream")
        return [stages](int stage, int microBatch) {
            return std::max(0, microBatch - (stages - 1 - stage));
        };
    if (scheme == "pipedream-2bw" || scheme == "bitpipe-async")
        return [updateEvery](int, int microBatch) {
            return std::max(0, microBatch / updateEvery - 1);
        };
    return {};
}

VersionedTrainer::VersionedTrainer(Setup setup)
    : m_setup(std::move(setup))
    , m_stages(m_setup.model.stages())
    , m_updates(m_stages.size())
{
    for (const StageId s : m_stages.ids()) {
        const StageSizes sizes = m_setup.model.sizes(s);
        CHECK(sizes.recomputed == 0); // no support for recomputation
        Stage& stage = m_stages[s];
        stage.versions.emplace_back(sizes.bytes(sizes.parameters));
        stage.optimizer.resize(sizes.optimizer());
        stage.gradients.resize(sizes.parameters);
        m_setup.model.initialize(s, m_setup.seed, stage.versions.back(),
                                 std::span(stage.optimizer).first(sizes.masters));
        if (m_setup.accumulate == Accumulate::Exact)
            stage.sums.resize(sizes.parameters);
        stage.stash.resize(sizes.bytes(sizes.stash));
        stage.output.resize(sizes.bytes(sizes.output));
        stage.inputGradient.resize(sizes.bytes(sizes.input));
        m_workspace.resize(std::max(m_workspace.size(), sizes.bytes(sizes.workspace)));
    }
}

Gradients VersionedTrainer::gradientsOf(Stage& stage)
{
    return {stage.gradients, stage.sums, m_setup.accumulate, m_setup.kernels};
}

double VersionedTrainer::train(TokenBatches& batches, int microBatches)
{
    CHECK(microBatches % m_setup.updateEvery == 0);
    for (const StageId s : m_stages.ids()) { // the newest version becomes version 0
        auto& versions = m_stages[s].versions;
        versions.erase(versions.begin(), versions.end() - 1);
        m_updates[s].clear();
    }
    const double tokens = batches.tokensPerMicroBatch();
    const float lossScale = m_setup.model.lossScale(tokens * m_setup.updateEvery);
    double loss = 0;
    for (int m = 0; m < microBatches; ++m) {
        loss += forward(batches.of(m), m) / tokens;
        backward(batches.of(m), m, lossScale);
        if ((m + 1) % m_setup.updateEvery == 0)
            update();
    }
    return loss / microBatches;
}

double VersionedTrainer::forward(TokenBatch tokens, int microBatch)
{
    double loss = 0;
    std::span<const std::byte> input;
    for (const StageId s : m_stages.ids()) {
        Stage& stage = m_stages[s];
        const int version = m_setup.rule(s.value, microBatch);
        m_setup.model.forward(s,
                              {.weights = stage.versions.at(version),
                               .input = input,
                               .stash = stage.stash,
                               .output = stage.output,
                               .workspace = m_workspace,
                               .tokens = tokens,
                               .loss = &loss});
        input = stage.output;
    }
    return loss;
}

void VersionedTrainer::backward(TokenBatch tokens, int microBatch, float lossScale)
{
    std::span<const std::byte> outputGradient;
    for (StageId s{m_setup.model.stages() - 1}; s.isValid(); --s.value) {
        Stage& stage = m_stages[s];
        const int version = m_setup.rule(s.value, microBatch);
        Gradients gradients = gradientsOf(stage);
        m_setup.model.backward(s,
                               {stage.versions.at(version), stage.stash, outputGradient,
                                stage.inputGradient, gradients.target(), m_workspace, tokens,
                                lossScale});
        gradients.endMicroBatch();
        outputGradient = stage.inputGradient;
    }
}

void VersionedTrainer::update()
{
    for (const StageId s : m_stages.ids()) {
        Stage& stage = m_stages[s];
        Gradients gradients = gradientsOf(stage);
        const std::span<const float> sum = gradients.sum();
        m_updates[s].emplace_back(sum.begin(), sum.end());
        stage.versions.push_back(stage.versions.back());
        m_setup.model.update(s, stage.versions.back(), sum, stage.optimizer, ++stage.steps);
        gradients.clear();
    }
}

std::span<const float> VersionedTrainer::weights(StageId stage) const
{
    const Stage& own = m_stages[stage];
    return fullWeights(own.versions.back(), own.optimizer, own.gradients.size());
}

namespace {

// Recomputation does not change the numbers, so the reference keeps all activations.
ModelSpec keepingAll(ModelSpec model)
{
    model.recompute = Recompute::None;
    return model;
}

// The model on one stage, whatever the layers per stage of the schedule.
ModelSpec uncut(ModelSpec model)
{
    model.layout = {};
    return keepingAll(std::move(model));
}

class Synchronous final : public GradientReference
{
public:
    explicit Synchronous(const ReferenceSetup& setup)
        : m_microBatches(setup.lowered.shape.microBatches * setup.lowered.shape.dataParallel)
        , m_units(hasHalves(setup.lowered) ? unitsPerMicroBatch(setup.lowered) : 1)
        , m_whole(makeTransformer(uncut(setup.pass.model), 1, setup.device))
        , m_trainer(*m_whole, setup.device.kernels(), setup.seed, setup.accumulate)
    {
        const auto cut = makeTransformer(setup.pass.model, setup.lowered.shape.stages, setup.device,
                                         setup.pass.slices);
        m_first.push_back(0); // the whole model has the parameters in stage order
        for (const StageId stage : Ids<StageId>(cut->stages()))
            m_first.push_back(m_first.back() + cut->sizes(stage).parameters);
    }

    double train(TokenBatches& uncut) override
    {
        const double loss = m_trainer.accumulate(uncut, m_microBatches, m_units);
        const std::span<const float> sum = m_trainer.gradients();
        m_sum.assign(sum.begin(), sum.end());
        m_trainer.update();
        return loss;
    }

    std::span<const float> gradient(StageId stage, std::size_t) const override
    {
        const StageId next{stage.value + 1};
        return std::span(m_sum).subspan(m_first[stage], m_first[next] - m_first[stage]);
    }

private:
    int m_microBatches, m_units;
    std::unique_ptr<PipelineModel<float>> m_whole;
    SequentialTrainer m_trainer;
    IdVector<StageId, std::size_t> m_first; // [stage] first parameter; then the total
    std::vector<float> m_sum;
};

class Asynchronous final : public GradientReference
{
public:
    Asynchronous(const ReferenceSetup& setup, VersionRule rule)
        : m_microBatches(setup.lowered.shape.allMicroBatches())
        , m_cut(makeTransformer(keepingAll(setup.pass.model), setup.lowered.shape.stages,
                                setup.device))
        , m_trainer({*m_cut, setup.device.kernels(), setup.seed, setup.accumulate, std::move(rule),
                     setup.lowered.shape.updateEvery})
    { }

    double train(TokenBatches& uncut) override { return m_trainer.train(uncut, m_microBatches); }

    std::span<const float> gradient(StageId stage, std::size_t update) const override
    {
        return m_trainer.gradients()[stage].at(update);
    }

private:
    int m_microBatches;
    std::unique_ptr<PipelineModel<float>> m_cut;
    VersionedTrainer m_trainer;
};

} // namespace

Result<std::unique_ptr<GradientReference>> makeReference(const ReferenceSetup& setup)
{
    const Shape& shape = setup.lowered.shape;
    if (shape.updateEvery == 0)
        return std::make_unique<Synchronous>(setup);
    VersionRule rule = versionRule(setup.lowered.scheme, shape.stages, shape.updateEvery);
    if (!rule)
        return fail(Error::Code::Unsupported,
                    "{} has no sequential reference, so its gradients cannot be compared",
                    setup.lowered.scheme);
    return std::make_unique<Asynchronous>(setup, std::move(rule));
}

} // namespace engine
