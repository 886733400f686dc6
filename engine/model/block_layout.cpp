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

// In the order of the members of BlockWeights.
std::array<Tensor, 12> tensors(const TransformerShape& shape)
{
    using Init = Parameter::Init;
    const auto c = static_cast<std::size_t>(shape.width);
    const auto qkv = static_cast<std::size_t>(shape.qkvWidth());
    const auto expanded = static_cast<std::size_t>(shape.expandedWidth());
    const auto inner = static_cast<std::size_t>(shape.innerWidth());
    return {{{"norm1.gain", c, Init::One},
             {"norm1.bias", c, Init::Zero},
             {"qkv.weight", c * qkv, Init::Normal},
             {"qkv.bias", qkv, Init::Zero},
             {"project.weight", c * c, Init::Normal},
             {"project.bias", c, Init::Zero},
             {"norm2.gain", c, Init::One},
             {"norm2.bias", c, Init::Zero},
             {"expand.weight", c * expanded, Init::Normal},
             {"expand.bias", expanded, Init::Zero},
             {"contract.weight", inner * c, Init::Normal},
             {"contract.bias", c, Init::Zero}}};
}

} // namespace

void appendParameter(std::vector<Parameter>& parameters, std::string name, std::size_t count,
                     Parameter::Init init)
{
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
        *members[i] = first;
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
    qkv = std::exchange(kept, kept + shape.times(shape.qkvWidth()));
    expanded = std::exchange(kept, kept + shape.times(shape.expandedWidth()));
    activated = kept;
    for (Real** perRow : {&mean1, &inverse1, &mean2, &inverse2})
        *perRow = std::exchange(rest, rest + shape.rows());
    scores = rest;
}

template<class Real>
std::size_t BlockStash<Real>::keptCount(const TransformerShape& shape)
{
    return shape.times(4 * shape.width + shape.qkvWidth() + shape.expandedWidth()
                       + shape.innerWidth());
}

template<class Real>
std::size_t BlockStash<Real>::restCount(const TransformerShape& shape)
{
    return shape.times(4) + shape.scores();
}

template struct BlockWeights<float>;
template struct BlockWeights<double>;
template struct BlockWeights<const float>;
template struct BlockWeights<const double>;
template struct BlockStash<float>;
template struct BlockStash<double>;
template struct BlockStash<const float>;
template struct BlockStash<const double>;

} // namespace engine
