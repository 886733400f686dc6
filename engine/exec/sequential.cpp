#include "engine/exec/sequential.h"

#include "engine/base/check.h"

namespace engine {

SequentialTrainer::SequentialTrainer(const PipelineModel<float>& model,
                                     const Kernels<float>& kernels, std::uint64_t seed,
                                     Accumulate accumulate)
    : m_model(model)
    , m_state(model, StageId{0}, kernels, accumulate)
    , m_stash(model.sizes(StageId{0}).stash)
    , m_workspace(model.sizes(StageId{0}).workspace)
{
    CHECK(model.stages() == 1);
    model.initialize(StageId{0}, seed, m_state.weights);
}

double SequentialTrainer::accumulate(TokenBatches& batches, int microBatches)
{
    const auto tokens = static_cast<double>(batches.tokensPerMicroBatch());
    double loss = 0;
    for (int m = 0; m < microBatches; ++m) {
        ForwardPass<float> forward{m_state.weights, {}, m_stash, {}, m_workspace, batches.of(m)};
        loss += m_model.forward(StageId{0}, forward) / tokens;
        m_model.backward(StageId{0},
                         {m_state.weights,
                          m_stash,
                          {},
                          {},
                          m_state.gradients.target(),
                          m_workspace,
                          batches.of(m),
                          m_model.lossScale(tokens * microBatches)});
        m_state.gradients.endMicroBatch();
    }
    return loss / microBatches;
}

} // namespace engine
