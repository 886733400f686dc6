#include "engine/model/stage_layout.h"

namespace engine {
namespace {

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

} // namespace

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
        appendParameter(parameters, "embedding.token", product(shape.vocabulary, shape.width),
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
                        shape.transformed ? product(shape.vocabulary, 1) : 0, Init::Zero);
    }
    return parameters;
}

template<class Real>
std::size_t StageLayout<Real>::embeddingCount() const
{
    return first ? product(shape.vocabulary + shape.positions, shape.width) : 0;
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
