#pragma once

#include "engine/model/block_layout.h"
#include "engine/model/rotary_table.h"

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

} // namespace engine
