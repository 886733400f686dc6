#pragma once

#include "engine/backend/kernels.h"
#include "engine/model/gpt_block.h"

namespace engine {

// A GPT in stages: token and position embedding join the first stage; final norm, head (untied) and
// the mean cross-entropy join the last. float trains, double is for finite differences.
template<class Real>
class GptModel final : public PipelineModel<Real>
{
public:
    // checkModel(spec, stages) has passed. `kernels` must outlive the model.
    GptModel(const ModelSpec& spec, int stages, const Kernels<Real>& kernels);

    int stages() const override { return m_stages; }
    StageSizes sizes(StageId stage) const override;
    std::span<const Parameter> parameters(StageId stage) const override;
    void initialize(StageId stage, std::uint64_t seed, std::span<Real> weights) const override;
    double forward(StageId stage, const ForwardPass<Real>& pass) const override;
    void backward(StageId stage, const BackwardPass<Real>& pass) const override;
    Real lossScale(double tokens) const override { return static_cast<Real>(1 / tokens); }
    double forwardFlops(StageId stage) const override;
    void update(StageId stage, std::span<Real> weights, std::span<const Real> gradients,
                std::span<Real> state, int step) const override;

private:
    struct Head; // where the last stage's own tensors lie

    bool isFirst(StageId stage) const { return stage.value == 0; }
    bool isLast(StageId stage) const { return stage.value == m_stages - 1; }
    int blocks(StageId stage) const;
    std::size_t firstBlock(StageId stage) const; // offset of its weights
    Head head(StageId stage) const;
    double headForward(const Head& head, const ForwardPass<Real>& pass) const;
    void headBackward(const Head& head, const BackwardPass<Real>& pass, Matrix<Real> d) const;

    ModelSpec m_spec;
    GptShape m_shape;
    int m_stages;
    const Kernels<Real>& m_kernels;
    GptBlock<Real> m_block;
    std::vector<std::vector<Parameter>> m_parameters; // [stage]
};

} // namespace engine
