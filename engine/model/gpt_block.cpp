#include "engine/model/gpt_block.h"

#include "engine/model/linear.h"

#include <fmt/format.h>

namespace engine {
namespace {

// The tensors of a block, behind one another from `first`: weights and gradients alike.
template<class Real>
struct Weights
{
    Real *norm1Gain, *norm1Bias, *qkv, *qkvBias, *project, *projectBias;
    Real *norm2Gain, *norm2Bias, *expand, *expandBias, *contract, *contractBias;

    Weights(Real* first, std::ptrdiff_t c)
        : norm1Gain(first)
        , norm1Bias(norm1Gain + c)
        , qkv(norm1Bias + c)
        , qkvBias(qkv + 3 * c * c)
        , project(qkvBias + 3 * c)
        , projectBias(project + c * c)
        , norm2Gain(projectBias + c)
        , norm2Bias(norm2Gain + c)
        , expand(norm2Bias + c)
        , expandBias(expand + 4 * c * c)
        , contract(expandBias + 4 * c)
        , contractBias(contract + 4 * c * c)
    { }
};

// What F keeps: (rows, C) each unless said otherwise.
template<class Real>
struct Stash
{
    Real *x, *norm1, *attended, *middle, *norm2;
    Real* qkv;                                 // (rows, 3C)
    Real *expanded, *activated;                // (rows, 4C)
    Real *mean1, *inverse1, *mean2, *inverse2; // (rows)
    Real* scores;                              // (samples, heads, T, T)

    Stash(Real* first, const GptShape& shape)
    {
        const auto state = static_cast<std::ptrdiff_t>(shape.state());
        Real* next = first;
        for (Real** tensor : {&x, &norm1, &attended, &middle, &norm2}) {
            *tensor = next;
            next += state;
        }
        qkv = next;
        expanded = qkv + 3 * state;
        activated = expanded + 4 * state;
        mean1 = activated + 4 * state;
        inverse1 = mean1 + shape.rows();
        mean2 = inverse1 + shape.rows();
        inverse2 = mean2 + shape.rows();
        scores = inverse2 + shape.rows();
    }
};

template<class Real>
Matrix<Real> wide(const GptShape& shape, Real* data, int times)
{
    return {data, shape.rows(), times * shape.width};
}

template<class Real>
std::span<Real> all(Matrix<Real> m)
{
    return {m.data, static_cast<std::size_t>(m.rows) * static_cast<std::size_t>(m.columns)};
}

} // namespace

GptShape::GptShape(const ModelSpec& model)
    : samples(model.microBatchSize)
    , sequence(model.sequence)
    , width(model.width)
    , heads(model.heads)
    , vocabulary(model.vocabulary)
{ }

template<class Real>
GptBlock<Real>::GptBlock(const GptShape& shape, const Kernels<Real>& kernels)
    : m_shape(shape)
    , m_kernels(kernels)
{ }

template<class Real>
void GptBlock<Real>::describe(const GptShape& shape, int layer, std::vector<Parameter>& parameters)
{
    const auto c = static_cast<std::size_t>(shape.width);
    const auto append = [&](const char* name, std::size_t count, Parameter::Init init) {
        const std::size_t offset
            = parameters.empty() ? 0 : parameters.back().offset + parameters.back().count;
        parameters.push_back({fmt::format("block{}.{}", layer, name), offset, count, init,
                              init == Parameter::Init::Normal});
    };
    append("norm1.gain", c, Parameter::Init::One);
    append("norm1.bias", c, Parameter::Init::Zero);
    append("qkv.weight", 3 * c * c, Parameter::Init::Normal);
    append("qkv.bias", 3 * c, Parameter::Init::Zero);
    append("project.weight", c * c, Parameter::Init::Normal);
    append("project.bias", c, Parameter::Init::Zero);
    append("norm2.gain", c, Parameter::Init::One);
    append("norm2.bias", c, Parameter::Init::Zero);
    append("expand.weight", 4 * c * c, Parameter::Init::Normal);
    append("expand.bias", 4 * c, Parameter::Init::Zero);
    append("contract.weight", 4 * c * c, Parameter::Init::Normal);
    append("contract.bias", c, Parameter::Init::Zero);
}

template<class Real>
std::size_t GptBlock<Real>::parameterCount(const GptShape& shape)
{
    const auto c = static_cast<std::size_t>(shape.width);
    return 12 * c * c + 13 * c;
}

template<class Real>
std::size_t GptBlock<Real>::stashCount(const GptShape& shape)
{
    const auto rows = static_cast<std::size_t>(shape.rows());
    return 16 * shape.state() + 4 * rows
        + rows * static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(shape.sequence);
}

// dY of the widest layer (rows, 4C), of a narrow one (rows, C), and the scores of one head.
template<class Real>
std::size_t GptBlock<Real>::workspaceCount(const GptShape& shape)
{
    const auto sequence = static_cast<std::size_t>(shape.sequence);
    return 5 * shape.state() + sequence * sequence;
}

template<class Real>
void GptBlock<Real>::forward(const Real* weights, Real* stash, Matrix<Real> out) const
{
    const GptShape& shape = m_shape;
    const Weights<const Real> w(weights, shape.width);
    const Stash<Real> s(stash, shape);
    const auto x = wide(shape, s.x, 1), norm1 = wide(shape, s.norm1, 1),
               attended = wide(shape, s.attended, 1), middle = wide(shape, s.middle, 1),
               norm2 = wide(shape, s.norm2, 1), qkv = wide(shape, s.qkv, 3),
               expanded = wide(shape, s.expanded, 4), activated = wide(shape, s.activated, 4);

    m_kernels.layerNorm({x, w.norm1Gain, w.norm1Bias, norm1, s.mean1, s.inverse1});
    linear<Real>(m_kernels, norm1, w.qkv, w.qkvBias, qkv);
    m_kernels.attention({qkv, shape.samples, shape.heads, s.scores, attended});
    linear<Real>(m_kernels, attended, w.project, w.projectBias, middle);
    m_kernels.add(all(x), all(middle));

    m_kernels.layerNorm({middle, w.norm2Gain, w.norm2Bias, norm2, s.mean2, s.inverse2});
    linear<Real>(m_kernels, norm2, w.expand, w.expandBias, expanded);
    m_kernels.gelu(all(expanded), all(activated));
    linear<Real>(m_kernels, activated, w.contract, w.contractBias, out);
    m_kernels.add(all(middle), all(out));
}

template<class Real>
void GptBlock<Real>::backward(const BackwardPass<Real>& pass, Matrix<Real> d) const
{
    mlpBackward(pass, d);
    attentionBackward(pass, d);
}

template<class Real>
void GptBlock<Real>::mlpBackward(const BackwardPass<Real>& pass, Matrix<Real> d) const
{
    const Weights<const Real> w(pass.weights.data(), m_shape.width);
    const Weights<Real> g(pass.gradients.data(), m_shape.width);
    const Stash<const Real> s(pass.stash.data(), m_shape);
    const auto dWide = wide(m_shape, pass.workspace.data(), 4);
    const auto dNarrow = wide(m_shape, pass.workspace.data() + 4 * m_shape.state(), 1);

    linearBackward<Real>(m_kernels,
                         {.x = wide(m_shape, s.activated, 4),
                          .dy = d,
                          .weight = w.contract,
                          .dWeight = g.contract,
                          .dBias = g.contractBias,
                          .dx = dWide});
    m_kernels.geluBackward(all(wide(m_shape, s.expanded, 4)), all(dWide));
    linearBackward<Real>(m_kernels,
                         {.x = wide(m_shape, s.norm2, 1),
                          .dy = dWide,
                          .weight = w.expand,
                          .dWeight = g.expand,
                          .dBias = g.expandBias,
                          .dx = dNarrow});
    m_kernels.layerNormBackward({wide(m_shape, s.middle, 1), dNarrow, w.norm2Gain, s.mean2,
                                 s.inverse2, d, g.norm2Gain, g.norm2Bias});
}

template<class Real>
void GptBlock<Real>::attentionBackward(const BackwardPass<Real>& pass, Matrix<Real> d) const
{
    const Weights<const Real> w(pass.weights.data(), m_shape.width);
    const Weights<Real> g(pass.gradients.data(), m_shape.width);
    const Stash<const Real> s(pass.stash.data(), m_shape);
    const auto dQkv = wide(m_shape, pass.workspace.data(), 3);
    Real* narrow = pass.workspace.data() + 4 * m_shape.state();
    const auto dNarrow = wide(m_shape, narrow, 1);

    linearBackward<Real>(m_kernels,
                         {.x = wide(m_shape, s.attended, 1),
                          .dy = d,
                          .weight = w.project,
                          .dWeight = g.project,
                          .dBias = g.projectBias,
                          .dx = dNarrow});
    m_kernels.attentionBackward({wide(m_shape, s.qkv, 3), m_shape.samples, m_shape.heads, s.scores,
                                 dNarrow, dQkv, narrow + m_shape.state()});
    linearBackward<Real>(m_kernels,
                         {.x = wide(m_shape, s.norm1, 1),
                          .dy = dQkv,
                          .weight = w.qkv,
                          .dWeight = g.qkv,
                          .dBias = g.qkvBias,
                          .dx = dNarrow});
    m_kernels.layerNormBackward({wide(m_shape, s.x, 1), dNarrow, w.norm1Gain, s.mean1, s.inverse1,
                                 d, g.norm1Gain, g.norm1Bias});
}

template class GptBlock<float>;
template class GptBlock<double>;

} // namespace engine
