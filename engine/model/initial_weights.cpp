#include "engine/model/initial_weights.h"

#include "engine/model/normal_numbers.h"

#include <algorithm>

namespace engine {

template<class Number>
void initializeWeights(const ModelSpec& spec, std::span<const Parameter> parameters,
                       std::uint64_t seed, std::span<Number> weights)
{
    for (const Parameter& parameter : parameters) {
        const std::span<Number> own = weights.subspan(parameter.offset, parameter.count);
        const bool copied = spec.tied && parameter.name == "head.weight";
        switch (parameter.init) {
        case Parameter::Init::Zero:
            std::ranges::fill(own, Number(0));
            break;
        case Parameter::Init::One:
            std::ranges::fill(own, Number(1));
            break;
        case Parameter::Init::Normal:
            fillNormal(Random::combine(seed, copied ? "embedding.token" : parameter.name),
                       spec.initStd, own);
            break;
        }
    }
}

template void initializeWeights(const ModelSpec&, std::span<const Parameter>, std::uint64_t,
                                std::span<float>);
template void initializeWeights(const ModelSpec&, std::span<const Parameter>, std::uint64_t,
                                std::span<double>);

} // namespace engine
