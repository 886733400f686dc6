#include "engine/model/transformer.h"

#include "engine/model/linear.h"
#include "engine/model/random.h"

#include <algorithm>

namespace engine {

template<class Real>
Transformer<Real>::Transformer(const ModelSpec& spec, int stages, const Kernels<Real>& kernels)
    : m_spec(spec)
    , m_kernels(kernels)
    , m_block(TransformerShape(spec), kernels)
{
    for (int s = 0; s < stages; ++s) {
        m_layouts.emplace_back(spec, stages, s);
        m_parameters.push_back(m_layouts.back().describe());
    }
}

template<class Real>
StageSizes Transformer<Real>::sizes(StageId stage) const
{
    const StageLayout& own = layout(stage);
    const Parameter& last = parameters(stage).back();
    return {.parameters = last.offset + last.count,
            .stash = own.stash(),
            .weightStash = own.weightStash(),
            .input = own.first ? 0 : own.shape.state(),
            .output = own.last ? 0 : own.shape.state(),
            .workspace = Block::workspaceCount(own.shape)};
}

// A block: 24 b s h^2 in matrices and 4 b s^2 h in attention; the head: 2 b s h v. A backward is
// twice as much, and attention, which has no weights, is all in I.
template<class Real>
StageFlops Transformer<Real>::flops(StageId stage) const
{
    const StageLayout& own = layout(stage);
    const double tokens = own.shape.rows(), width = own.shape.width;
    const double attention = own.blocks * 4 * tokens * width * own.shape.sequence;
    const double matrices = own.blocks * 24 * tokens * width * width
        + (own.last ? 2 * tokens * width * own.shape.vocabulary : 0);
    return {.forward = matrices + attention,
            .backwardInput = matrices + 2 * attention,
            .backwardWeight = matrices};
}

template<class Real>
std::span<const Parameter> Transformer<Real>::parameters(StageId stage) const
{
    return m_parameters[static_cast<std::size_t>(stage.value)];
}

// (seed, name of the tensor) decide: the weights are the same under every scheme and stage split.
template<class Real>
void Transformer<Real>::initialize(StageId stage, std::uint64_t seed, std::span<Real> weights) const
{
    for (const Parameter& parameter : parameters(stage)) {
        Random random(Random::combine(seed, parameter.name));
        for (Real& w : weights.subspan(parameter.offset, parameter.count)) {
            switch (parameter.init) {
            case Parameter::Init::Zero:
                w = 0;
                break;
            case Parameter::Init::One:
                w = 1;
                break;
            case Parameter::Init::Normal:
                w = static_cast<Real>(static_cast<float>(random.normal() * m_spec.initStd));
                break;
            }
        }
    }
}

template<class Real>
double Transformer<Real>::forward(StageId stage, const ForwardPass<Real>& pass) const
{
    const StageLayout& own = layout(stage);
    const StageStash<Real> stash(pass.stash.data(), own);
    const Matrix<Real> x = stash.x(0);
    if (own.first) {
        const Real* tokens = pass.weights.data();
        const Real* positions = tokens + static_cast<std::ptrdiff_t>(m_spec.vocabulary) * x.columns;
        m_kernels.embedding(pass.tokens.inputs, tokens, {positions, m_spec.sequence, x.columns}, x);
    } else {
        std::ranges::copy(pass.input, x.data);
    }
    for (int b = 0; b < own.blocks; ++b) {
        const bool toOutput = b == own.blocks - 1 && !own.last;
        m_block.forward({.weights = {pass.weights.data() + own.blockParameters(b), own.shape},
                         .stash = stash.block(b),
                         .x = stash.x(b),
                         .out = toOutput ? own.shape.stateOf(pass.output.data()) : stash.x(b + 1)});
    }
    return own.last ? headForward(own, pass) : 0;
}

template<class Real>
double Transformer<Real>::headForward(const StageLayout& own, const ForwardPass<Real>& pass) const
{
    const HeadWeights<const Real> w(pass.weights.data() + own.headParameters(), own.shape);
    const StageStash<Real> stash(pass.stash.data(), own);
    const HeadStash<Real> head = stash.head();
    const auto norm = own.shape.stateOf(head.norm);
    const auto logits = own.shape.matrix(head.logits, own.shape.vocabulary);
    m_kernels.layerNorm({stash.x(own.blocks), w.gain, w.bias, norm, head.mean, head.inverse});
    linear<Real>(m_kernels, norm, w.weight, nullptr, logits);
    return m_kernels.crossEntropy(logits, pass.tokens.targets);
}

// I and W a block at a time, so that what W reads is still in the cache.
template<class Real>
void Transformer<Real>::backward(StageId stage, const BackwardPass<Real>& pass) const
{
    const StageLayout& own = layout(stage);
    const WeightPass<Real> weight{pass.stash, pass.gradients};
    if (own.last) {
        headBackwardInput(own, pass);
        headBackwardWeight(own, weight);
    }
    for (int b = own.blocks; b-- > 0;) {
        blockBackwardInput(own, pass, b);
        const bool fromNext = b == own.blocks - 1 && !own.last;
        blockBackwardWeight(own, weight, b,
                            fromNext ? own.shape.stateOf(pass.outputGradient.data())
                                     : StageStash<const Real>(pass.stash.data(), own).dOut(b));
    }
    if (own.first)
        embeddingBackward(own, pass);
}

template<class Real>
void Transformer<Real>::backwardInput(StageId stage, const BackwardPass<Real>& pass) const
{
    const StageLayout& own = layout(stage);
    if (own.last)
        headBackwardInput(own, pass);
    for (int b = own.blocks; b-- > 0;)
        blockBackwardInput(own, pass, b);
    if (own.first)
        embeddingBackward(own, pass);
    if (!own.last) // the last block's dOut, which W reads when the message is gone
        std::ranges::copy(pass.outputGradient,
                          StageStash<Real>(pass.stash.data(), own).dOut(own.blocks - 1).data);
}

template<class Real>
void Transformer<Real>::backwardWeight(StageId stage, const WeightPass<Real>& pass) const
{
    const StageLayout& own = layout(stage);
    if (own.last)
        headBackwardWeight(own, pass);
    for (int b = own.blocks; b-- > 0;)
        blockBackwardWeight(own, pass, b, StageStash<const Real>(pass.stash.data(), own).dOut(b));
}

template<class Real>
void Transformer<Real>::blockBackwardInput(const StageLayout& own, const BackwardPass<Real>& pass,
                                           int block) const
{
    const StageStash<Real> stash(pass.stash.data(), own);
    const bool fromNext = block == own.blocks - 1 && !own.last;
    const bool toPrevious = block == 0 && !own.first;
    const std::size_t weights = own.blockParameters(block);
    m_block.backwardInput(
        {.weights = {pass.weights.data() + weights, own.shape},
         .gradients = {pass.gradients.data() + weights, own.shape},
         .stash = stash.block(block),
         .x = stash.x(block),
         .dOut = fromNext ? own.shape.stateOf(pass.outputGradient.data()) : stash.dOut(block),
         .dx = toPrevious ? own.shape.stateOf(pass.inputGradient.data()) : stash.x(block),
         .workspace = pass.workspace.data()});
}

template<class Real>
void Transformer<Real>::blockBackwardWeight(const StageLayout& own, const WeightPass<Real>& pass,
                                            int block, Matrix<const Real> dOut) const
{
    m_block.backwardWeight(
        {.gradients = {pass.gradients.data() + own.blockParameters(block), own.shape},
         .stash = StageStash<const Real>(pass.stash.data(), own).block(block),
         .dOut = dOut});
}

template<class Real>
void Transformer<Real>::headBackwardInput(const StageLayout& own,
                                          const BackwardPass<Real>& pass) const
{
    const HeadWeights<const Real> w(pass.weights.data() + own.headParameters(), own.shape);
    const HeadWeights<Real> g(pass.gradients.data() + own.headParameters(), own.shape);
    const StageStash<Real> stash(pass.stash.data(), own);
    const HeadStash<Real> head = stash.head();
    const auto logits = own.shape.matrix(head.logits, own.shape.vocabulary);
    const auto dNorm = own.shape.stateOf(pass.workspace.data()), x = stash.x(own.blocks);

    m_kernels.crossEntropyBackward(logits, pass.tokens.targets, pass.lossScale);
    linearBackwardInput<Real>(m_kernels, logits, w.weight, dNorm);
    m_kernels.layerNormBackward({.x = x,
                                 .dy = dNorm,
                                 .residual = {},
                                 .gain = w.gain,
                                 .mean = head.mean,
                                 .inverseDeviation = head.inverse,
                                 .dx = x,
                                 .dGain = g.gain,
                                 .dBias = g.bias});
}

template<class Real>
void Transformer<Real>::headBackwardWeight(const StageLayout& own,
                                           const WeightPass<Real>& pass) const
{
    const HeadWeights<Real> g(pass.gradients.data() + own.headParameters(), own.shape);
    const auto head = StageStash<const Real>(pass.stash.data(), own).head();
    linearBackwardWeight<Real>(m_kernels, own.shape.stateOf(head.norm),
                               own.shape.matrix(head.logits, own.shape.vocabulary), g.weight,
                               nullptr);
}

template<class Real>
void Transformer<Real>::embeddingBackward(const StageLayout& own,
                                          const BackwardPass<Real>& pass) const
{
    const Matrix<Real> d = StageStash<Real>(pass.stash.data(), own).x(0);
    Real* tokens = pass.gradients.data();
    Real* positions = tokens + static_cast<std::ptrdiff_t>(m_spec.vocabulary) * d.columns;
    m_kernels.embeddingBackward(pass.tokens.inputs, d, tokens,
                                {positions, m_spec.sequence, d.columns});
}

template<class Real>
void Transformer<Real>::update(StageId stage, std::span<Real> weights,
                               std::span<const Real> gradients, std::span<Real> state,
                               int step) const
{
    for (const Parameter& parameter : parameters(stage)) {
        Real* firstMoment = state.data() + parameter.offset;
        m_kernels.adamW({.weights = weights.data() + parameter.offset,
                         .firstMoment = firstMoment,
                         .secondMoment = firstMoment + weights.size(),
                         .gradients = gradients.data() + parameter.offset,
                         .count = parameter.count,
                         .learningRate = m_spec.learningRate,
                         .beta1 = m_spec.beta1,
                         .beta2 = m_spec.beta2,
                         .epsilon = m_spec.epsilon,
                         .weightDecay = parameter.decays ? m_spec.weightDecay : 0,
                         .step = step});
    }
}

template class Transformer<float>;
template class Transformer<double>;

} // namespace engine
