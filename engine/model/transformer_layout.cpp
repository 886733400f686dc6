#include "engine/model/transformer_layout.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace engine {
namespace {

struct Tensor
{
    std::string_view name;
    std::size_t count;
    Parameter::Init init;
};

// In the order of BlockWeights. Tensors that the family lacks have count 0.
std::array<Tensor, 12> tensors(const TransformerShape& shape)
{
    using Init = Parameter::Init;
    const std::size_t c = shape.width;
    const std::size_t qkv = shape.attention.qkvWidth();
    const std::size_t expanded = shape.expanded;
    const std::size_t inner = shape.inner;
    const auto bias = [&](std::size_t count) { return shape.biased ? count : 0; };
    return {{{"norm1.gain", c, Init::One},
             {"norm1.bias", bias(c), Init::Zero},
             {"qkv.weight", c * qkv, Init::Normal},
             {"qkv.bias", bias(qkv), Init::Zero},
             {"project.weight", c * c, Init::Normal},
             {"project.bias", bias(c), Init::Zero},
             {"norm2.gain", c, Init::One},
             {"norm2.bias", bias(c), Init::Zero},
             {"expand.weight", c * expanded, Init::Normal},
             {"expand.bias", bias(expanded), Init::Zero},
             {"contract.weight", inner * c, Init::Normal},
             {"contract.bias", bias(c), Init::Zero}}};
}

std::size_t product(int a, int b)
{
    return static_cast<std::size_t>(a) * b;
}

template<class Real>
std::size_t keptOfBlocks(const StageLayout<Real>& layout, int blocks)
{
    return blocks * BlockStash<Real>::keptCount(layout.shape);
}

template<class Real>
std::size_t statesOf(const StageLayout<Real>& layout)
{
    return wholePlaces<Real>(layout.blocks * layout.shape.state());
}

void appendParameter(std::vector<Parameter>& parameters, std::string name, std::size_t count,
                     Parameter::Init init)
{
    if (count == 0)
        return;
    const std::size_t offset
        = parameters.empty() ? 0 : parameters.back().offset + parameters.back().count;
    parameters.push_back({std::move(name), offset, count, init, init == Parameter::Init::Normal});
}

void describeBlock(const TransformerShape& shape, int layer, std::vector<Parameter>& parameters)
{
    for (const Tensor& tensor : tensors(shape))
        appendParameter(parameters, fmt::format("block{}.{}", layer, tensor.name), tensor.count,
                        tensor.init);
}

} // namespace

template<class Real>
BlockWeights<Real>::BlockWeights(Real* first, const TransformerShape& shape)
{
    Real** const members[]
        = {&norm1Gain, &norm1Bias, &qkv,    &qkvBias,    &project,  &projectBias,
           &norm2Gain, &norm2Bias, &expand, &expandBias, &contract, &contractBias};
    const auto all = tensors(shape);
    for (std::size_t i = 0; i < all.size(); ++i) {
        *members[i] = all[i].count > 0 ? first : nullptr;
        first += all[i].count;
    }
}

template<class Real>
std::size_t BlockWeights<Real>::count(const TransformerShape& shape)
{
    std::size_t sum = 0;
    for (const Tensor& tensor : tensors(shape))
        sum += tensor.count;
    return sum;
}

template<class Real>
BlockStash<Real>::BlockStash(Real* kept, Real* rest, const TransformerShape& shape)
{
    for (Real** state : {&norm1, &attended, &norm2, &middle})
        *state = std::exchange(kept, kept + shape.state());
    qkv = std::exchange(kept, kept + shape.times(shape.attention.qkvWidth()));
    expanded = std::exchange(kept, kept + shape.times(shape.expanded));
    activated = kept;
    const std::size_t rows = shape.rows();
    auto* wide = reinterpret_cast<Wide<Real>*>(rest);
    for (Wide<Real>** perRow : {&inverse1, &inverse2})
        *perRow = std::exchange(wide, wide + rows);
    if (!shape.rmsNorm)
        for (Wide<Real>** perRow : {&mean1, &mean2})
            *perRow = std::exchange(wide, wide + rows);
    attention.logSums = std::exchange(wide, wide + shape.attention.keptSums());
    if (shape.attention.slices > 1)
        keyGradients = std::exchange(wide, wide + shape.attention.keyGradients());
    attention.scores = reinterpret_cast<Real*>(wide);
}

template<class Real>
std::size_t BlockStash<Real>::keptCount(const TransformerShape& shape)
{
    return wholePlaces<Real>(
        shape.times(4 * shape.width + shape.attention.qkvWidth() + shape.expanded + shape.inner));
}

template<class Real>
std::size_t BlockStash<Real>::restCount(const TransformerShape& shape)
{
    const AttentionShape& attention = shape.attention;
    const std::size_t wide
        = shape.times(2 * shape.statistics()) + attention.keptSums() + attention.keyGradients();
    return wide * kPlacesOfWide<Real> + wholePlaces<Real>(attention.keptScores());
}

template struct BlockWeights<float>;
template struct BlockWeights<double>;
template struct BlockWeights<const float>;
template struct BlockWeights<const double>;
template struct BlockWeights<bfloat16>;
template struct BlockWeights<const bfloat16>;
template struct BlockStash<float>;
template struct BlockStash<double>;
template struct BlockStash<const float>;
template struct BlockStash<const double>;
template struct BlockStash<bfloat16>;
template struct BlockStash<const bfloat16>;

template<class Real>
StageLayout<Real>::StageLayout(const ModelSpec& model, int stages, int stage, int slices)
    : shape(model, slices)
    , firstBlock(firstLayer(model, stages, stage))
    , blocks(firstLayer(model, stages, stage + 1) - firstBlock)
    , first(stage == 0)
    , last(stage == stages - 1)
{ }

template<class Real>
std::vector<Parameter> StageLayout<Real>::describe() const
{
    using Init = Parameter::Init;
    std::vector<Parameter> parameters;
    if (first) {
        if (shape.patchValues > 0) {
            appendParameter(parameters, "embedding.patch.weight",
                            product(shape.patchValues, shape.width), Init::Normal);
            appendParameter(parameters, "embedding.patch.bias", product(1, shape.width),
                            Init::Zero);
        } else
            appendParameter(parameters, "embedding.token", product(shape.embedded, shape.width),
                            Init::Normal);
        appendParameter(parameters, "embedding.position", product(shape.positions, shape.width),
                        Init::Normal);
    }
    for (int b = 0; b < blocks; ++b)
        describeBlock(shape, firstBlock + b, parameters);
    if (last) {
        const std::size_t width = product(shape.width, 1);
        const std::size_t transform = shape.transformed ? width : 0;
        appendParameter(parameters, "norm.gain", width, Init::One);
        appendParameter(parameters, "norm.bias", shape.biased ? width : 0, Init::Zero);
        appendParameter(parameters, "head.transform.weight", transform * width, Init::Normal);
        appendParameter(parameters, "head.transform.bias", transform, Init::Zero);
        appendParameter(parameters, "head.norm.gain", transform, Init::One);
        appendParameter(parameters, "head.norm.bias", transform, Init::Zero);
        appendParameter(parameters, "head.weight", product(shape.width, shape.vocabulary),
                        Init::Normal);
        appendParameter(parameters, "head.bias",
                        shape.decoderBias ? product(shape.vocabulary, 1) : 0, Init::Zero);
    }
    return parameters;
}

template<class Real>
std::size_t StageLayout<Real>::embeddingCount() const
{
    return first ? product(shape.embedded + shape.positions, shape.width) : 0;
}

template<class Real>
std::size_t StageLayout<Real>::blockParameters(int block) const
{
    return embeddingCount() + block * BlockWeights<Real>::count(shape);
}

template<class Real>
std::size_t StageLayout<Real>::headParameters() const
{
    return blockParameters(blocks);
}

template<class Real>
std::size_t StageLayout<Real>::headWeight() const
{
    return headParameters() + HeadWeights<Real>::weightOffset(shape);
}

template<class Real>
std::size_t StageLayout<Real>::blocksKept() const
{
    return statesOf(*this) + keptOfBlocks(*this, blocks);
}

template<class Real>
std::size_t StageLayout<Real>::blocksRest() const
{
    return blocks * BlockStash<Real>::restCount(shape);
}

template<class Real>
std::size_t StageLayout<Real>::headKept() const
{
    return last ? HeadStash<Real>::keptCount(shape) : 0;
}

template<class Real>
std::size_t StageLayout<Real>::headRest() const
{
    return last ? HeadStash<Real>::restCount(shape) + shape.state() : 0;
}

template<class Real>
StageStash<Real>::StageStash(Real* first, const Layout& layout, const StashPieces<Real>& pieces)
    : m_first(first)
    , m_headKept(pieces.headKept != nullptr ? pieces.headKept : first + layout.blocksKept())
    , m_rest(pieces.rest != nullptr ? pieces.rest : first + layout.weightStash())
    , m_headRest(pieces.headRest != nullptr ? pieces.headRest : m_rest + layout.blocksRest())
    , m_layout(layout)
{ }

template<class Real>
Matrix<Real> StageStash<Real>::state(std::size_t index) const
{
    return m_layout.shape.stateOf(m_first + index * m_layout.shape.state());
}

template<class Real>
Matrix<Real> StageStash<Real>::x(int block) const
{
    if (block == 0 && m_layout.last)
        return m_layout.shape.stateOf(m_headRest + HeadStash<Real>::restCount(m_layout.shape));
    return state(block == m_layout.blocks ? 0 : block);
}

template<class Real>
Matrix<Real> StageStash<Real>::dOut(int block) const
{
    return state(block + 1 == m_layout.blocks ? 0 : block + 1);
}

template<class Real>
BlockStash<Real> StageStash<Real>::block(int block) const
{
    const auto rest = block * BlockStash<Real>::restCount(m_layout.shape);
    return {m_first + statesOf(m_layout) + keptOfBlocks(m_layout, block), m_rest + rest,
            m_layout.shape};
}

template<class Real>
HeadStash<Real> StageStash<Real>::head() const
{
    return {m_headKept, m_headRest, m_layout.shape};
}

template<class Real>
EarlierSlices<Real> StageStash<Real>::earlier(int block, const SequenceSlice& slice) const
{
    const BlockStash<Real> own = this->block(block);
    if (own.keyGradients == nullptr)
        return {};
    const auto bytesTo = [this](const void* at) {
        return static_cast<std::size_t>(static_cast<const std::byte*>(at)
                                        - reinterpret_cast<const std::byte*>(m_first));
    };
    return {slice.earlierStashes, bytesTo(own.qkv), bytesTo(own.keyGradients)};
}

template struct StageLayout<float>;
template struct StageLayout<double>;
template struct StageLayout<bfloat16>;
template class StageStash<float>;
template class StageStash<double>;
template class StageStash<bfloat16>;
template class StageStash<const float>;
template class StageStash<const double>;
template class StageStash<const bfloat16>;

} // namespace engine
