#pragma once

#include "engine/backend/device.h"
#include "engine/model/layers.h"
#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"
#include "engine/model/transformer_layout.h"

#include <memory>

namespace engine {

// One pre-norm transformer block: y = x + attention(norm(x)), then y + mlp(norm(y)).
template<class Real>
class TransformerBlock
{
public:
    // `kernels` must outlive the block. `sequence` is the number of tokens of a whole sample.
    TransformerBlock(const TransformerShape& shape, int sequence, const Kernels<Real>& kernels)
        : m_shape(shape)
        , m_kernels(kernels)
        , m_rotary(shape.positions > 0 ? 0 : sequence, shape.attention.headSize, kernels)
    { }

    struct Forward
    {
        BlockWeights<const Real> weights;
        BlockStash<Real> stash;
        Matrix<const Real> x;
        Matrix<Real> out; // if out.data is nullptr, only the stash is computed
        EarlierSlices<Real> earlier;
        Real* workspace = nullptr;
    };
    void forward(const Forward& pass) const;
    static std::size_t forwardWorkspace(const TransformerShape& shape); // numbers of Real

    struct Backward
    {
        BlockWeights<const Real> weights;
        BlockWeights<Wide<Real>> gradients;
        BlockStash<Real> stash; // written by F; afterwards the input of W
        Matrix<const Real> x, dOut;
        Matrix<Real> dx; // may alias x
        EarlierSlices<Real> earlier;
        Real* workspace = nullptr;
    };
    void backwardInput(const Backward& pass) const;
    static std::size_t backwardWorkspace(const TransformerShape& shape);

    struct Weight
    {
        BlockWeights<Wide<Real>> gradients;
        BlockStash<const Real> stash; // after I (backwardInput)
        Matrix<const Real> dOut;      // the same dOut as for I (backwardInput)
    };
    void backwardWeight(const Weight& pass) const;

private:
    void mlpBackward(const Backward& pass) const;
    void attentionBackward(const Backward& pass) const;

    TransformerShape m_shape;
    const Kernels<Real>& m_kernels;
    RotaryTable<Real> m_rotary;
};

// A transformer in stages. The first stage includes the embedding; the last one includes the final
// norm, the head and the mean cross-entropy. A tied head is a second copy of the token embedding
// (tied()). float and bfloat16 are for training, double for finite differences.
template<class Real>
class Transformer final : public PipelineModel<Wide<Real>>
{
    using Gradient = Wide<Real>;

public:
    // Requires checkModel(spec, stages), and a sequence that `slices` divides. A pass processes a
    // micro-batch or a slice of it. `kernels` must outlive the model.
    Transformer(const ModelSpec& spec, int stages, const Kernels<Real>& kernels, int slices = 1);

    int stages() const override { return m_layouts.size(); }
    StageSizes sizes(StageId stage) const override;
    StageFlops flops(StageId stage) const override;
    std::span<const Parameter> parameters(StageId stage) const override;
    std::optional<TiedParameters> tied() const override;
    void initialize(StageId stage, std::uint64_t seed, std::span<std::byte> weights,
                    std::span<Gradient> masters) const override;
    void forward(StageId stage, const ForwardPass<std::byte>& memory) const override;
    void recompute(StageId stage, const RecomputePass<std::byte>& memory) const override;
    void backward(StageId stage, const BackwardPass<std::byte, Gradient>& memory) const override;
    void backwardInput(StageId stage,
                       const BackwardPass<std::byte, Gradient>& memory) const override;
    void backwardWeight(StageId stage,
                        const WeightPass<std::byte, Gradient>& memory) const override;
    Gradient lossScale(double tokens) const override;
    void update(StageId stage, std::span<std::byte> weights, std::span<const Gradient> gradients,
                std::span<Gradient> optimizer, int step) const override;

private:
    static constexpr bool kHasMasters = kPlacesOfWide<Real> > 1;
    using Block = TransformerBlock<Real>;
    using Head = TransformerHead<Real>;

    const StageLayout<Real>& layout(StageId stage) const { return m_layouts[stage]; }
    double predictedShare() const; // predicted tokens as a fraction of all tokens
    std::size_t workspaceCount(const StageLayout<Real>& layout) const;
    // The rows of the slice (weights or gradients); empty with rotary positions.
    template<class Number>
    Matrix<Number> positionTable(Number* embedding, int slice) const;
    // A row per sample.
    Matrix<Real> samplesOf(Matrix<Real> x) const
    {
        const AttentionShape& shape = m_layouts.front().shape.attention;
        return {x.data, shape.samples, shape.sequence * x.columns};
    }
    // Of a Vit: the pixels of the pass, from -1 to 1, in the workspace.
    Matrix<const Real> pixels(const TokenBatch& tokens, std::span<Real> workspace) const;
    void embed(const ForwardPass<Real>& pass, Matrix<Real> x) const;
    void enter(const StageLayout<Real>& layout, const ForwardPass<Real>& pass,
               Matrix<Real> x) const;
    void forwardOnce(const StageLayout<Real>& layout, const ForwardPass<Real>& pass) const;
    void blockBackwardInput(const StageLayout<Real>& layout, const BackwardPass<Real>& pass,
                            int block) const;
    void headBackwardInput(const StageLayout<Real>& layout, const BackwardPass<Real>& pass) const;
    void embeddingBackward(const StageLayout<Real>& layout, const BackwardPass<Real>& pass) const;
    void blockBackwardWeight(const StageLayout<Real>& layout, const WeightPass<Real>& pass,
                             int block, Matrix<const Real> dOut) const;
    void headBackwardWeight(const StageLayout<Real>& layout, const WeightPass<Real>& pass) const;

    ModelSpec m_spec;
    IdVector<StageId, StageLayout<Real>> m_layouts;
    IdVector<StageId, std::vector<Parameter>> m_parameters;
    IdVector<StageId, std::vector<DecayPart>> m_decayParts;
    const Kernels<Real>& m_kernels;
    Block m_block;
    Head m_head;
    std::vector<Real> m_bytes; // of a Vit: the pixel of every byte
    const Real* m_deviceBytes;
};

// Makes a transformer (transformer.h) in the precision of its spec, which must pass
// checkPrecision(). The device must outlive the model.
std::unique_ptr<PipelineModel<float>> makeTransformer(const ModelSpec& spec, int stages,
                                                      const Device& device, int slices = 1);
// Fails with Error::Code::Unsupported if the device does not support the precision; the message
// names an alternative.
Result<void> checkPrecision(Precision precision, const Device& device);

} // namespace engine
