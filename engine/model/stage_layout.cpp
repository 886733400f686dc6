#include "engine/model/stage_layout.h"

namespace engine {
namespace {

std::size_t product(int a, int b)
{
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

std::size_t keptOfBlocks(const StageLayout& layout, int blocks)
{
    return static_cast<std::size_t>(blocks) * BlockStash<float>::keptCount(layout.shape);
}

std::size_t statesOf(const StageLayout& layout)
{
    return static_cast<std::size_t>(layout.blocks) * layout.shape.state();
}

} // namespace

StageLayout::StageLayout(const ModelSpec& model, int stages, int stage, int slices)
    : shape(model, slices)
    , firstBlock(firstLayer(model, stages, stage))
    , blocks(firstLayer(model, stages, stage + 1) - firstBlock)
    , first(stage == 0)
    , last(stage == stages - 1)
{ }

std::vector<Parameter> StageLayout::describe() const
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

std::size_t StageLayout::embeddingCount() const
{
    return first ? product(shape.vocabulary + shape.positions, shape.width) : 0;
}

std::size_t StageLayout::blockParameters(int block) const
{
    return embeddingCount() + static_cast<std::size_t>(block) * BlockWeights<float>::count(shape);
}

std::size_t StageLayout::headParameters() const
{
    return blockParameters(blocks);
}

std::size_t StageLayout::headWeight() const
{
    return headParameters() + HeadWeights<float>::weightOffset(shape);
}

std::size_t StageLayout::blocksKept() const
{
    return statesOf(*this) + keptOfBlocks(*this, blocks);
}

std::size_t StageLayout::blocksRest() const
{
    return static_cast<std::size_t>(blocks) * BlockStash<float>::restCount(shape);
}

std::size_t StageLayout::headKept() const
{
    return last ? HeadStash<float>::keptCount(shape) : 0;
}

std::size_t StageLayout::headRest() const
{
    return last ? HeadStash<float>::restCount(shape) + shape.state() : 0;
}

template<class Real>
StageStash<Real>::StageStash(Real* first, const StageLayout& layout,
                             const StashPieces<Real>& pieces)
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
    return state(block == m_layout.blocks ? 0 : static_cast<std::size_t>(block));
}

template<class Real>
Matrix<Real> StageStash<Real>::dOut(int block) const
{
    return state(block + 1 == m_layout.blocks ? 0 : static_cast<std::size_t>(block) + 1);
}

template<class Real>
BlockStash<Real> StageStash<Real>::block(int block) const
{
    const auto rest = static_cast<std::size_t>(block) * BlockStash<Real>::restCount(m_layout.shape);
    return {m_first + statesOf(m_layout) + keptOfBlocks(m_layout, block), m_rest + rest,
            m_layout.shape};
}

template<class Real>
HeadStash<Real> StageStash<Real>::head() const
{
    return {m_headKept, m_headRest, m_layout.shape};
}

template<class Real>
EarlierSlices<Real> StageStash<Real>::earlier(int block, const SequenceSlice<Real>& slice) const
{
    const BlockStash<Real> own = this->block(block);
    if (own.keyGradients == nullptr)
        return {};
    return {slice.earlierStashes, static_cast<std::size_t>(own.qkv - m_first),
            static_cast<std::size_t>(own.keyGradients - m_first)};
}

template class StageStash<float>;
template class StageStash<double>;
template class StageStash<const float>;
template class StageStash<const double>;

} // namespace engine
