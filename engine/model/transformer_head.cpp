#include "engine/model/transformer_head.h"

#include "engine/model/linear.h"
#include "engine/model/norm.h"

namespace engine {

template<class Real>
double TransformerHead<Real>::forward(const Pass& pass) const
{
    const HeadWeights<const Real>& w = pass.weights;
    const auto y = m_shape.stateOf(pass.stash.norm);
    const auto logits = m_shape.matrix(pass.stash.logits, m_shape.vocabulary);
    norm<Real>(m_kernels, {pass.x, w.gain, w.bias, y, pass.stash.mean, pass.stash.inverse});
    m_kernels.matmul({.a = y,
                      .b = weightOf(w.weight),
                      .c = logits,
                      .transposeB = m_tied ? Transpose::Yes : Transpose::No});
    return m_kernels.crossEntropy(logits, pass.targets);
}

template<class Real>
void TransformerHead<Real>::backwardInput(const Pass& pass, const Backward& backward) const
{
    const HeadWeights<const Real>& w = pass.weights;
    const auto logits = m_shape.matrix(pass.stash.logits, m_shape.vocabulary);
    const auto dNorm = m_shape.stateOf(backward.workspace);
    m_kernels.crossEntropyBackward(logits, pass.targets, backward.lossScale);
    m_kernels.matmul({.a = logits,
                      .b = weightOf(w.weight),
                      .c = dNorm,
                      .transposeB = m_tied ? Transpose::No : Transpose::Yes});
    normBackward<Real>(m_kernels,
                       {.x = pass.x,
                        .dy = dNorm,
                        .residual = {},
                        .gain = w.gain,
                        .mean = pass.stash.mean,
                        .inverseDeviation = pass.stash.inverse,
                        .dx = pass.x,
                        .dGain = backward.gradients.gain,
                        .dBias = backward.gradients.bias});
}

template<class Real>
void TransformerHead<Real>::backwardWeight(const HeadStash<const Real>& stash,
                                           const HeadWeights<Real>& gradients) const
{
    const auto y = m_shape.stateOf(stash.norm);
    const auto dLogits = m_shape.matrix(stash.logits, m_shape.vocabulary);
    if (m_tied)
        linearBackwardWeight<Real>(m_kernels, dLogits, y, gradients.weight, nullptr);
    else
        linearBackwardWeight<Real>(m_kernels, y, dLogits, gradients.weight, nullptr);
}

template class TransformerHead<float>;
template class TransformerHead<double>;

} // namespace engine
