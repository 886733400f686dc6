#include "engine/model/block_layout.h"

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

// Returns the tensors of a block in the order of BlockWeights. Tensors that the family lacks have
// count 0.
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

} // namespace

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

} // namespace engine
