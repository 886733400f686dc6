#include "engine/verify/sequential.h"

#include "engine/base/check.h"
#include "engine/pipeline/tied_gradients.h"

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

} // namespace engine
