#pragma once

#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"

namespace engine {

// Initializes the weights of a stage. The initial values depend only on the seed and the tensor
// names, so they are the same for every scheme, stage split and precision.
template<class Number>
void initializeWeights(const ModelSpec& spec, std::span<const Parameter> parameters,
                       std::uint64_t seed, std::span<Number> weights);

} // namespace engine
