#include "engine/model/gpt_model.h"

#include "engine/model/linear.h"
#include "engine/model/random.h"

#include <algorithm>

namespace engine {
namespace {

std::size_t product(int a, int b)
{
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

void append(std::vector<Parameter>& parameters, const char* name, std::size_t count,
            Parameter::Init init)
{
    const std::size_t offset
        = parameters.empty() ? 0 : parameters.back().offset + parameters.back().count;
    parameters.push_back({name, offset, count, init, init == Parameter::Init::Normal});
}

std::vector<Parameter> describeStage(const ModelSpec& spec, int stages, int stage)
{
    const GptShape shape(spec);
    std::vector<Parameter> parameters;
    if (stage == 0) {
        append(parameters, "embedding.token", product(spec.vocabulary, spec.width),
               Parameter::Init::Normal);
        append(parameters, "embedding.position", product(spec.sequence, spec.width),
               Parameter::Init::Normal);
    }
    for (int l = firstLayer(spec, stages, stage); l < firstLayer(spec, stages, stage + 1); ++l)
        GptBlock<float>::describe(shape, l, parameters);
    if (stage == stages - 1) {
        append(parameters, "norm.gain", product(spec.width, 1), Parameter::Init::One);
        append(parameters, "norm.bias", product(spec.width, 1), Parameter::Init::Zero);
        append(parameters, "head.weight", product(spec.width, spec.vocabulary),
               Parameter::Init::Normal);
    }
    return parameters;
}

} // namespace

// The stash of the head: x, norm(x) (rows, C), mean, 1 / deviation (rows), probabilities (rows, V).
template<class Real>
struct GptModel<Real>::Head
{
    std::size_t weights = 0, stash = 0; // offsets in the arrays of the stage
};

template<class Real>
GptModel<Real>::GptModel(const ModelSpec& spec, int stages, const Kernels<Real>& kernels)
    : m_spec(spec)
    , m_shape(spec)
    , m_stages(stages)
    , m_kernels(kernels)
    , m_block(m_shape, kernels)
{
    for (int s = 0; s < stages; ++s)
        m_parameters.push_back(describeStage(spec, stages, s));
}

template<class Real>
int GptModel<Real>::blocks(StageId stage) const
{
    return firstLayer(m_spec, m_stages, stage.value + 1)
        - firstLayer(m_spec, m_stages, stage.value);
}

template<class Real>
std::size_t GptModel<Real>::firstBlock(StageId stage) const
{
    return isFirst(stage) ? product(m_spec.vocabulary + m_spec.sequence, m_spec.width) : 0;
}

template<class Real>
auto GptModel<Real>::head(StageId stage) const -> Head
{
    const auto count = static_cast<std::size_t>(blocks(stage));
    return {firstBlock(stage) + count * GptBlock<Real>::parameterCount(m_shape),
            count * GptBlock<Real>::stashCount(m_shape)};
}

template<class Real>
StageSizes GptModel<Real>::sizes(StageId stage) const
{
    const Parameter& last = parameters(stage).back();
    const std::size_t logits = product(m_shape.rows(), m_shape.vocabulary);
    StageSizes sizes{.parameters = last.offset + last.count,
                     .stash = head(stage).stash,
                     .input = isFirst(stage) ? 0 : m_shape.state(),
                     .output = isLast(stage) ? 0 : m_shape.state(),
                     .workspace = GptBlock<Real>::workspaceCount(m_shape)};
    if (isLast(stage)) {
        sizes.stash += 2 * m_shape.state() + 2 * static_cast<std::size_t>(m_shape.rows()) + logits;
        sizes.workspace = std::max(sizes.workspace, logits + m_shape.state());
    }
    if (isFirst(stage)) // the gradient that elsewhere goes to the stage before
        sizes.workspace += m_shape.state();
    return sizes;
}

template<class Real>
std::span<const Parameter> GptModel<Real>::parameters(StageId stage) const
{
    return m_parameters[static_cast<std::size_t>(stage.value)];
}

// (seed, name of the tensor) decide: the weights are the same under every scheme and stage split.
template<class Real>
void GptModel<Real>::initialize(StageId stage, std::uint64_t seed, std::span<Real> weights) const
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
double GptModel<Real>::forward(StageId stage, const ForwardPass<Real>& pass) const
{
    const std::size_t stride = GptBlock<Real>::stashCount(m_shape);
    const int count = blocks(stage);
    const Matrix<Real> x(pass.stash.data(), m_shape.rows(), m_shape.width);
    if (isFirst(stage)) {
        const Real* tokens = pass.weights.data();
        m_kernels.embedding(
            pass.tokens.inputs, tokens,
            {tokens + product(m_spec.vocabulary, m_spec.width), m_spec.sequence, m_spec.width}, x);
    } else {
        std::ranges::copy(pass.input, x.data);
    }
    for (int b = 0; b < count; ++b) {
        const auto i = static_cast<std::size_t>(b);
        const bool toOutput = b == count - 1 && !isLast(stage);
        Real* stash = pass.stash.data() + i * stride;
        const Real* weights
            = pass.weights.data() + firstBlock(stage) + i * GptBlock<Real>::parameterCount(m_shape);
        Real* out = toOutput ? pass.output.data() : stash + stride; // x of the next block, the head
        m_block.forward(weights, stash, {out, m_shape.rows(), m_shape.width});
    }
    return isLast(stage) ? headForward(head(stage), pass) : 0;
}

template<class Real>
double GptModel<Real>::headForward(const Head& head, const ForwardPass<Real>& pass) const
{
    const int rows = m_shape.rows(), width = m_shape.width;
    const Real* gain = pass.weights.data() + head.weights;
    Real* x = pass.stash.data() + head.stash;
    const Matrix<Real> norm(x + m_shape.state(), rows, width);
    Real* mean = norm.data + m_shape.state();
    const Matrix<Real> logits(mean + 2 * rows, rows, m_shape.vocabulary);
    m_kernels.layerNorm(
        {Matrix<Real>(x, rows, width), gain, gain + width, norm, mean, mean + rows});
    linear<Real>(m_kernels, norm, gain + 2 * width, nullptr, logits);
    return m_kernels.crossEntropy(logits, pass.tokens.targets);
}

template<class Real>
void GptModel<Real>::headBackward(const Head& head, const BackwardPass<Real>& pass,
                                  Matrix<Real> d) const
{
    const int rows = m_shape.rows(), width = m_shape.width;
    const Real* gain = pass.weights.data() + head.weights;
    Real* dGain = pass.gradients.data() + head.weights;
    const Real* x = pass.stash.data() + head.stash;
    const Matrix<const Real> norm(x + m_shape.state(), rows, width);
    const Real* mean = norm.data + m_shape.state();
    const Matrix<const Real> probabilities(mean + 2 * rows, rows, m_shape.vocabulary);
    const Matrix<Real> dLogits(pass.workspace.data(), rows, m_shape.vocabulary);
    const Matrix<Real> dNorm(dLogits.data + product(rows, m_shape.vocabulary), rows, width);

    m_kernels.crossEntropyBackward(probabilities, pass.tokens.targets, pass.lossScale, dLogits);
    linearBackward<Real>(m_kernels,
                         {.x = norm,
                          .dy = dLogits,
                          .weight = gain + 2 * width,
                          .dWeight = dGain + 2 * width,
                          .dx = dNorm});
    std::fill(d.data, d.data + m_shape.state(), Real(0));
    m_kernels.layerNormBackward({Matrix<const Real>(x, rows, width), dNorm, gain, mean, mean + rows,
                                 d, dGain, dGain + width});
}

template<class Real>
void GptModel<Real>::backward(StageId stage, const BackwardPass<Real>& pass) const
{
    const std::size_t stashes = GptBlock<Real>::stashCount(m_shape);
    const std::size_t weights = GptBlock<Real>::parameterCount(m_shape);
    Real* running = isFirst(stage) ? &pass.workspace.last(m_shape.state()).front()
                                   : pass.inputGradient.data();
    const Matrix<Real> d(running, m_shape.rows(), m_shape.width);
    if (isLast(stage))
        headBackward(head(stage), pass, d);
    else
        std::ranges::copy(pass.outputGradient, d.data);

    for (auto b = static_cast<std::size_t>(blocks(stage)); b-- > 0;) {
        BackwardPass<Real> block = pass;
        const std::size_t offset = firstBlock(stage) + b * weights;
        block.weights = pass.weights.subspan(offset, weights);
        block.gradients = pass.gradients.subspan(offset, weights);
        block.stash = pass.stash.subspan(b * stashes, stashes);
        m_block.backward(block, d);
    }
    if (isFirst(stage)) {
        Real* tokens = pass.gradients.data();
        m_kernels.embeddingBackward(
            pass.tokens.inputs, d, tokens,
            {tokens + product(m_spec.vocabulary, m_spec.width), m_spec.sequence, m_spec.width});
    }
}

// A block: 24 b s h^2 + 4 b s^2 h; the head: 2 b s h v.
template<class Real>
double GptModel<Real>::forwardFlops(StageId stage) const
{
    const double tokens = m_shape.rows(), width = m_shape.width;
    const double block = tokens * width * (24 * width + 4 * m_shape.sequence);
    return blocks(stage) * block + (isLast(stage) ? 2 * tokens * width * m_shape.vocabulary : 0);
}

template<class Real>
void GptModel<Real>::update(StageId stage, std::span<Real> weights, std::span<const Real> gradients,
                            std::span<Real> state, int step) const
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

template class GptModel<float>;
template class GptModel<double>;

} // namespace engine
