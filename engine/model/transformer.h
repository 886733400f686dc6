#pragma once

#include "engine/model/stage_layout.h"
#include "engine/model/transformer_block.h"

namespace engine {

// A transformer in stages: the embedding joins the first stage; final norm, head and the mean
// cross-entropy join the last. A tied head is a second copy of the token embedding (tied()). float
// trains, double is for finite differences.
template<class Real>
class Transformer final : public PipelineModel<Real>
{
public:
    // checkModel(spec, stages) has passed, and `slices` divides the sequence: a pass works on a
    // whole micro-batch, or with more than one on a slice of it. `kernels` must outlive the model.
    Transformer(const ModelSpec& spec, int stages, const Kernels<Real>& kernels, int slices = 1);

    int stages() const override { return static_cast<int>(m_layouts.size()); }
    StageSizes sizes(StageId stage) const override;
    StageFlops flops(StageId stage) const override;
    std::span<const Parameter> parameters(StageId stage) const override;
    std::optional<TiedParameters> tied() const override;
    void initialize(StageId stage, std::uint64_t seed, std::span<Real> weights) const override;
    double forward(StageId stage, const ForwardPass<Real>& pass) const override;
    void recompute(StageId stage, const RecomputePass<Real>& pass) const override;
    void backward(StageId stage, const BackwardPass<Real>& pass) const override;
    void backwardInput(StageId stage, const BackwardPass<Real>& pass) const override;
    void backwardWeight(StageId stage, const WeightPass<Real>& pass) const override;
    Real lossScale(double tokens) const override;
    void update(StageId stage, std::span<Real> weights, std::span<const Real> gradients,
                std::span<Real> state, int step) const override;

private:
    using Block = TransformerBlock<Real>;
    using Head = TransformerHead<Real>;

    const StageLayout& layout(StageId stage) const
    {
        return m_layouts[static_cast<std::size_t>(stage.value)];
    }
    double predictedShare() const; // of all tokens
    std::size_t workspaceCount(const StageLayout& layout) const;
    // The rows of a slice among the weights or the gradients of the embedding; none with rotary.
    template<class Number>
    Matrix<Number> positionTable(Number* embedding, int slice) const;
    void enter(const StageLayout& layout, const ForwardPass<Real>& pass, Matrix<Real> x) const;
    double forwardOnce(const StageLayout& layout, const ForwardPass<Real>& pass) const;
    void blockBackwardInput(const StageLayout& layout, const BackwardPass<Real>& pass,
                            int block) const;
    void headBackwardInput(const StageLayout& layout, const BackwardPass<Real>& pass) const;
    void embeddingBackward(const StageLayout& layout, const BackwardPass<Real>& pass) const;
    void blockBackwardWeight(const StageLayout& layout, const WeightPass<Real>& pass, int block,
                             Matrix<const Real> dOut) const;
    void headBackwardWeight(const StageLayout& layout, const WeightPass<Real>& pass) const;

    ModelSpec m_spec;
    std::vector<StageLayout> m_layouts;               // [stage]
    std::vector<std::vector<Parameter>> m_parameters; // [stage]
    const Kernels<Real>& m_kernels;
    Block m_block;
    Head m_head;
};

} // namespace engine
