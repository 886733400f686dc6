#include "engine/verify/versioned_sequential.h"

#include "engine/base/check.h"

#include <algorithm>

namespace engine {

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

} // namespace engine
