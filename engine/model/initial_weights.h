#pragma once

#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"

namespace engine {

// Weights depend only on the seed and the tensor name, so they are the same for every scheme,
// stage split and precision. `weights`: of a stage with these parameters.
template<class Number>
void initializeWeights(const ModelSpec& spec, std::span<const Parameter> parameters,
                       std::uint64_t seed, std::span<Number> weights);

} // namespace engine
