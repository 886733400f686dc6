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

// The mean of each sample is a product with a row of ones.
template<class Real>
void TransformerHead<Real>::meanOverTokens(Matrix<const Real> x, Matrix<Real> mean) const
{
    const int tokens = m_shape.attention.sequence;
    for (int sample = 0; sample < mean.rows; ++sample)
        m_kernels.matmul({.a = {m_deviceOnes, 1, tokens},
                          .b = {x.row(sample * tokens), tokens, x.columns},
                          .c = {mean.row(sample), 1, mean.columns},
                          .alpha = Wide<Real>(1) / Wide<Real>(tokens)});
}

template<class Real>
void TransformerHead<Real>::meanBackward(Matrix<const Real> dMean, Matrix<Real> dx) const
{
    const int tokens = m_shape.attention.sequence;
    for (int sample = 0; sample < dMean.rows; ++sample)
        m_kernels.matmul({.a = {m_deviceOnes, tokens, 1},
                          .b = {dMean.row(sample), 1, dMean.columns},
                          .c = {dx.row(sample * tokens), tokens, dx.columns},
                          .alpha = Wide<Real>(1) / Wide<Real>(tokens)});
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
        meanBackward(dDecoded, dNorm);
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
