#include "engine/model/layers.h"
#include "engine/model/transformer.h"

#include <algorithm>

namespace engine {
template<class Real>
void TransformerBlock<Real>::forward(const Forward& pass) const
{
    using Direction = typename Rotary<Real>::Direction;
    const TransformerShape& shape = m_shape;
    const BlockWeights<const Real>& w = pass.weights;
    const BlockStash<Real>& s = pass.stash;
    const auto norm1 = shape.stateOf(s.norm1), attended = shape.stateOf(s.attended),
               middle = shape.stateOf(s.middle), norm2 = shape.stateOf(s.norm2),
               qkv = shape.matrix(s.qkv, shape.attention.qkvWidth()),
               expanded = shape.matrix(s.expanded, shape.expanded),
               activated = shape.matrix(s.activated, shape.inner);

    norm<Real>(m_kernels, {pass.x, w.norm1Gain, w.norm1Bias, norm1, s.mean1, s.inverse1});
    linear<Real>(m_kernels, norm1, w.qkv, w.qkvBias, qkv);
    m_rotary.turn(m_kernels, shape.attention, qkv, pass.earlier.count(), Direction::Forward);
    if (s.keyGradients != nullptr)
        m_kernels.zero(std::span(s.keyGradients, shape.attention.keyGradients()));
    m_kernels.attention({shape.attention, qkv, s.attention, attended, pass.earlier,
                         reinterpret_cast<Wide<Real>*>(pass.workspace)});
    linear<Real>(m_kernels, attended, w.project, w.projectBias, middle, pass.x);

    norm<Real>(m_kernels, {middle, w.norm2Gain, w.norm2Bias, norm2, s.mean2, s.inverse2});
    if (shape.gated) {
        linear<Real>(m_kernels, norm2, w.expand, w.expandBias, expanded);
        m_kernels.swiGlu(expanded, activated);
    } else
        m_kernels.linear({.x = norm2,
                          .weight = {w.expand, shape.width, shape.expanded},
                          .bias = w.expandBias,
                          .y = expanded,
                          .activated = activated});
    if (pass.out.data == nullptr)
        return;
    linear<Real>(m_kernels, activated, w.contract, w.contractBias, pass.out, middle);
}

template<class Real>
std::size_t TransformerBlock<Real>::forwardWorkspace(const TransformerShape& shape)
{
    return shape.attention.forwardWorkspace<Real>() * kPlacesOfWide<Real>;
}

// The workspace first holds the gradient of the activation, (rows, inner). Later it holds the
// gradient of a norm's output, (rows, C), and the workspace of attention.
template<class Real>
std::size_t TransformerBlock<Real>::backwardWorkspace(const TransformerShape& shape)
{
    return std::max(shape.times(shape.inner),
                    wholePlaces<Real>(shape.state())
                        + shape.attention.backwardWorkspace<Real>() * kPlacesOfWide<Real>);
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
    const auto dActivated = m_shape.matrix(pass.workspace, m_shape.inner);
    const auto expanded = m_shape.matrix(s.expanded, m_shape.expanded);
    const auto dNorm = m_shape.stateOf(pass.workspace), middle = m_shape.stateOf(s.middle);

    m_kernels.linearBackwardInput({.dy = pass.dOut,
                                   .weight = {w.contract, m_shape.inner, m_shape.width},
                                   .dx = dActivated,
                                   .beforeGelu = m_shape.gated ? Matrix<Real>() : expanded});
    if (m_shape.gated)
        m_kernels.swiGluBackward(dActivated, expanded);
    linearBackwardInput<Real>(m_kernels, expanded, w.expand, dNorm);
    normBackward<Real>(m_kernels,
                       {.x = middle,
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
    using Direction = typename Rotary<Real>::Direction;
    const BlockWeights<const Real>& w = pass.weights;
    const BlockStash<Real>& s = pass.stash;
    const auto dNarrow = m_shape.stateOf(pass.workspace), dMiddle = m_shape.stateOf(s.middle);
    const auto qkv = m_shape.matrix(s.qkv, m_shape.attention.qkvWidth());

    linearBackwardInput<Real>(m_kernels, dMiddle, w.project, dNarrow);
    m_kernels.attentionBackward({.shape = m_shape.attention,
                                 .qkv = qkv,
                                 .kept = s.attention,
                                 .out = m_shape.stateOf(s.attended),
                                 .dOut = dNarrow,
                                 .keyGradients = s.keyGradients,
                                 .earlier = pass.earlier,
                                 .workspace = reinterpret_cast<Wide<Real>*>(
                                     pass.workspace + wholePlaces<Real>(m_shape.state()))});
    m_rotary.turn(m_kernels, m_shape.attention, qkv, pass.earlier.count(), Direction::Backward);
    linearBackwardInput<Real>(m_kernels, qkv, w.qkv, dNarrow);
    normBackward<Real>(m_kernels,
                       {.x = pass.x,
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
    const BlockWeights<Wide<Real>>& g = pass.gradients;
    const BlockStash<const Real>& s = pass.stash;
    linearBackwardWeight<Real>(m_kernels, m_shape.matrix(s.activated, m_shape.inner), pass.dOut,
                               g.contract, g.contractBias);
    linearBackwardWeight<Real>(m_kernels, m_shape.stateOf(s.norm2),
                               m_shape.matrix(s.expanded, m_shape.expanded), g.expand,
                               g.expandBias);
    linearBackwardWeight<Real>(m_kernels, m_shape.stateOf(s.attended), m_shape.stateOf(s.middle),
                               g.project, g.projectBias);
    linearBackwardWeight<Real>(m_kernels, m_shape.stateOf(s.norm1),
                               m_shape.matrix(s.qkv, m_shape.attention.qkvWidth()), g.qkv,
                               g.qkvBias);
}

template class TransformerBlock<float>;
template class TransformerBlock<double>;
template class TransformerBlock<bfloat16>;

} // namespace engine
