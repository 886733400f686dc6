#include "engine/model/transformer_block.h"

#include "engine/model/linear.h"

#include <algorithm>

namespace engine {
namespace {

template<class Real>
std::span<Real> all(Matrix<Real> m)
{
    return {m.data, static_cast<std::size_t>(m.rows) * static_cast<std::size_t>(m.columns)};
}

} // namespace

template<class Real>
void TransformerBlock<Real>::forward(const Forward& pass) const
{
    const TransformerShape& shape = m_shape;
    const BlockWeights<const Real>& w = pass.weights;
    const BlockStash<Real>& s = pass.stash;
    const auto norm1 = shape.stateOf(s.norm1), attended = shape.stateOf(s.attended),
               middle = shape.stateOf(s.middle), norm2 = shape.stateOf(s.norm2),
               qkv = shape.matrix(s.qkv, shape.qkvWidth()),
               expanded = shape.matrix(s.expanded, shape.expandedWidth()),
               activated = shape.matrix(s.activated, shape.innerWidth());

    m_kernels.layerNorm({pass.x, w.norm1Gain, w.norm1Bias, norm1, s.mean1, s.inverse1});
    linear<Real>(m_kernels, norm1, w.qkv, w.qkvBias, qkv);
    m_kernels.attention({qkv, shape.samples, shape.heads, s.scores, attended});
    linear<Real>(m_kernels, attended, w.project, w.projectBias, middle);
    m_kernels.add(all(pass.x), all(middle));

    m_kernels.layerNorm({middle, w.norm2Gain, w.norm2Bias, norm2, s.mean2, s.inverse2});
    linear<Real>(m_kernels, norm2, w.expand, w.expandBias, expanded);
    m_kernels.gelu(all(expanded), all(activated));
    linear<Real>(m_kernels, activated, w.contract, w.contractBias, pass.out);
    m_kernels.add(all(middle), all(pass.out));
}

// The gradient of what the activation gave, (rows, inner); then that of a norm's output, (rows, C),
// with attention's own workspace behind it.
template<class Real>
std::size_t TransformerBlock<Real>::workspaceCount(const TransformerShape& shape)
{
    return std::max(
        shape.times(shape.innerWidth()),
        shape.state()
            + AttentionBackward<Real>::workspaceCount(shape.sequence, shape.width / shape.heads));
}

template<class Real>
void TransformerBlock<Real>::backwardInput(const Backward& pass) const
{
    mlpBackward(pass);
    attentionBackward(pass);
}

template<class Real>
void TransformerBlock<Real>::mlpBackward(const Backward& pass) const
{
    const BlockWeights<const Real>& w = pass.weights;
    const BlockStash<Real>& s = pass.stash;
    const auto dActivated = m_shape.matrix(pass.workspace, m_shape.innerWidth());
    const auto expanded = m_shape.matrix(s.expanded, m_shape.expandedWidth());
    const auto dNorm = m_shape.stateOf(pass.workspace), middle = m_shape.stateOf(s.middle);

    linearBackwardInput<Real>(m_kernels, pass.dOut, w.contract, dActivated);
    m_kernels.geluBackward(all<const Real>(dActivated), all(expanded));
    linearBackwardInput<Real>(m_kernels, expanded, w.expand, dNorm);
    m_kernels.layerNormBackward({.x = middle,
                                 .dy = dNorm,
                                 .residual = pass.dOut,
                                 .gain = w.norm2Gain,
                                 .mean = s.mean2,
                                 .inverseDeviation = s.inverse2,
                                 .dx = middle,
                                 .dGain = pass.gradients.norm2Gain,
                                 .dBias = pass.gradients.norm2Bias});
}

template<class Real>
void TransformerBlock<Real>::attentionBackward(const Backward& pass) const
{
    const BlockWeights<const Real>& w = pass.weights;
    const BlockStash<Real>& s = pass.stash;
    const auto dNarrow = m_shape.stateOf(pass.workspace), dMiddle = m_shape.stateOf(s.middle);
    const auto qkv = m_shape.matrix(s.qkv, m_shape.qkvWidth());

    linearBackwardInput<Real>(m_kernels, dMiddle, w.project, dNarrow);
    m_kernels.attentionBackward({.qkv = qkv,
                                 .samples = m_shape.samples,
                                 .heads = m_shape.heads,
                                 .scores = s.scores,
                                 .dOut = dNarrow,
                                 .workspace = pass.workspace + m_shape.state()});
    linearBackwardInput<Real>(m_kernels, qkv, w.qkv, dNarrow);
    m_kernels.layerNormBackward({.x = pass.x,
                                 .dy = dNarrow,
                                 .residual = dMiddle,
                                 .gain = w.norm1Gain,
                                 .mean = s.mean1,
                                 .inverseDeviation = s.inverse1,
                                 .dx = pass.dx,
                                 .dGain = pass.gradients.norm1Gain,
                                 .dBias = pass.gradients.norm1Bias});
}

template<class Real>
void TransformerBlock<Real>::backwardWeight(const Weight& pass) const
{
    const BlockWeights<Real>& g = pass.gradients;
    const BlockStash<const Real>& s = pass.stash;
    linearBackwardWeight<Real>(m_kernels, m_shape.matrix(s.activated, m_shape.innerWidth()),
                               pass.dOut, g.contract, g.contractBias);
    linearBackwardWeight<Real>(m_kernels, m_shape.stateOf(s.norm2),
                               m_shape.matrix(s.expanded, m_shape.expandedWidth()), g.expand,
                               g.expandBias);
    linearBackwardWeight<Real>(m_kernels, m_shape.stateOf(s.attended), m_shape.stateOf(s.middle),
                               g.project, g.projectBias);
    linearBackwardWeight<Real>(m_kernels, m_shape.stateOf(s.norm1),
                               m_shape.matrix(s.qkv, m_shape.qkvWidth()), g.qkv, g.qkvBias);
}

template class TransformerBlock<float>;
template class TransformerBlock<double>;

} // namespace engine
