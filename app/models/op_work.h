#pragma once

#include "engine/model/model_spec.h"
#include "engine/timeline/run.h"

#include <optional>

namespace app {

// The model that a run trained, from its experiment; nullopt if the run has none (simulated in cost
// units, imported) or it cannot be read.
std::optional<engine::ModelSpec> modelOf(const engine::RunInfo& info);

// The layers of a stage: first and last; nullopt if a stage has no layer.
std::optional<std::pair<int, int>> layersOf(const engine::ModelSpec& model,
                                            const engine::Shape& shape, engine::StageId stage);

// The model FLOPs of an op, with full attention; 0 for ops without model FLOPs, such as a
// recompute. The ops of an iteration add up to engine::flopsPerIteration().
double modelFlopsOf(const engine::ModelSpec& model, const engine::Shape& shape,
                    const engine::Op& op);

} // namespace app
