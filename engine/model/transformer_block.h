#pragma once

#include "engine/model/block_layout.h"

namespace engine {

// One pre-norm transformer block: x + attention(norm(x)), then + mlp(norm(.)).
template<class Real>
class TransformerBlock
{
public:
    // `kernels` must outlive the block.
    TransformerBlock(const TransformerShape& shape, const Kernels<Real>& kernels)
        : m_shape(shape)
        , m_kernels(kernels)
    { }

    struct Forward
    {
        BlockWeights<const Real> weights;
        BlockStash<Real> stash;
        Matrix<const Real> x;
        Matrix<Real> out;
    };
    void forward(const Forward& pass) const;

    struct Backward
    {
        BlockWeights<const Real> weights;
        BlockWeights<Real> gradients;
        BlockStash<Real> stash; // of F; afterwards, of W
        Matrix<const Real> x, dOut;
        Matrix<Real> dx; // may be where x is
        Real* workspace = nullptr;
    };
    void backwardInput(const Backward& pass) const;
    static std::size_t workspaceCount(const TransformerShape& shape);

    struct Weight
    {
        BlockWeights<Real> gradients;
        BlockStash<const Real> stash; // after I
        Matrix<const Real> dOut;      // the same as of I
    };
    void backwardWeight(const Weight& pass) const;

private:
    void mlpBackward(const Backward& pass) const;
    void attentionBackward(const Backward& pass) const;

    TransformerShape m_shape;
    const Kernels<Real>& m_kernels;
};

} // namespace engine
