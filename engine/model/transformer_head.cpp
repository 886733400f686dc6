#include "engine/model/transformer_head.h"

#include "engine/model/layers.h"

namespace engine {

template<class Real>
void TransformerHead<Real>::forward(const Pass& pass) const
{
    const HeadWeights<const Real>& w = pass.weights;
    const HeadStash<Real>& s = pass.stash;
    const auto decoded = decodedOf(s.decoded);
    const auto logits = m_shape.logitsOf(s.logits);
    const bool isVit = m_shape.patchValues > 0;
    const auto normed = m_shape.stateOf(isVit                     ? pass.workspace
                                            : m_shape.transformed ? s.norm
                                                                  : s.decoded);
    norm<Real>(m_kernels, {pass.x, w.gain, w.bias, normed, s.mean, s.inverse});
    if (isVit)
        meanOverTokens(normed, decoded);
    if (m_shape.transformed)
        transform(pass);
    m_kernels.matmul({.a = decoded,
                      .b = weightOf(w.weight),
                      .c = logits,
                      .transposeB = m_tied ? Transpose::Yes : Transpose::No});
    if (w.weightBias != nullptr)
        m_kernels.addBias(logits, w.weightBias);
    m_kernels.crossEntropy({logits, pass.targets, pass.loss, pass.share});
}

// A product of each sample with ones: a row of them adds its tokens, a column repeats a gradient.
template<class Real>
void TransformerHead<Real>::meanOverTokens(Matrix<const Real> from, Matrix<Real> to) const
{
    const AttentionShape& shape = m_shape.attention;
    const int in = from.rows / shape.samples, out = to.rows / shape.samples;
    for (int sample = 0; sample < shape.samples; ++sample)
        m_kernels.matmul({.a = {m_deviceOnes, out, in},
                          .b = {from.row(sample * in), in, from.columns},
                          .c = {to.row(sample * out), out, to.columns},
                          .alpha = Wide<Real>(1) / Wide<Real>(shape.sequence)});
}

template<class Real>
void TransformerHead<Real>::transform(const Pass& pass) const
{
    const HeadWeights<const Real>& w = pass.weights;
    const HeadStash<Real>& s = pass.stash;
    const auto transformed = m_shape.stateOf(s.transformed),
               activated = m_shape.stateOf(s.activated);
    linear<Real>(m_kernels, m_shape.stateOf(s.norm), w.transform, w.transformBias, transformed);
    m_kernels.gelu(all(transformed), all(activated));
    norm<Real>(m_kernels,
               {activated, w.transformGain, w.transformNormBias, m_shape.stateOf(s.decoded),
                s.transformMean, s.transformInverse});
}

template<class Real>
void TransformerHead<Real>::backwardInput(const Pass& pass, const Backward& backward) const
{
    const HeadWeights<const Real>& w = pass.weights;
    const auto logits = m_shape.logitsOf(pass.stash.logits);
    const auto dNorm = m_shape.stateOf(backward.workspace);
    m_kernels.crossEntropyBackward(logits, pass.targets, backward.lossScale);
    const bool isVit = m_shape.patchValues > 0;
    const auto dDecoded = decodedOf(backward.workspace + (isVit ? m_shape.state() : 0));
    m_kernels.matmul({.a = logits,
                      .b = weightOf(w.weight),
                      .c = dDecoded,
                      .transposeB = m_tied ? Transpose::No : Transpose::Yes});
    if (isVit)
        meanOverTokens(dDecoded, dNorm);
    if (m_shape.transformed)
        transformBackward(pass, backward);
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

// On entry the workspace holds the gradient of the decoder's input, on return the gradient of the
// final norm's output.
template<class Real>
void TransformerHead<Real>::transformBackward(const Pass& pass, const Backward& backward) const
{
    const HeadWeights<const Real>& w = pass.weights;
    const HeadStash<Real>& s = pass.stash;
    const auto dState = m_shape.stateOf(backward.workspace);
    const auto activated = m_shape.stateOf(s.activated),
               transformed = m_shape.stateOf(s.transformed);
    normBackward<Real>(m_kernels,
                       {.x = activated,
                        .dy = dState,
                        .residual = {},
                        .gain = w.transformGain,
                        .mean = s.transformMean,
                        .inverseDeviation = s.transformInverse,
                        .dx = activated,
                        .dGain = backward.gradients.transformGain,
                        .dBias = backward.gradients.transformNormBias});
    m_kernels.geluBackward(all<const Real>(activated), all(transformed));
    linearBackwardInput<Real>(m_kernels, transformed, w.transform, dState);
}

template<class Real>
void TransformerHead<Real>::backwardWeight(const HeadStash<const Real>& stash,
                                           const HeadWeights<Wide<Real>>& gradients) const
{
    const auto decoded = decodedOf(stash.decoded);
    const auto dLogits = m_shape.logitsOf(stash.logits);
    if (m_tied)
        linearBackwardWeight<Real>(m_kernels, dLogits, decoded, gradients.weight, nullptr);
    else
        linearBackwardWeight<Real>(m_kernels, decoded, dLogits, gradients.weight, nullptr);
    if (gradients.weightBias != nullptr)
        m_kernels.addBiasGradient(dLogits, gradients.weightBias);
    if (m_shape.transformed)
        linearBackwardWeight<Real>(m_kernels, m_shape.stateOf(stash.norm),
                                   m_shape.stateOf(stash.transformed), gradients.transform,
                                   gradients.transformBias);
}

template class TransformerHead<float>;
template class TransformerHead<double>;
template class TransformerHead<bfloat16>;

} // namespace engine
