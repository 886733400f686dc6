#pragma once

#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"

namespace engine {

// (seed, name of the tensor) decide: the weights are the same under every scheme, stage split and
// precision. `weights`: of a stage with these parameters.
template<class Number>
void initializeWeights(const ModelSpec& spec, std::span<const Parameter> parameters,
                       std::uint64_t seed, std::span<Number> weights);

} // namespace engine
