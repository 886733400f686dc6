#pragma once

#include "engine/model/model_spec.h"
#include "engine/timeline/run.h"

#include <optional>

namespace app {

// Returns the model that a run trained, from the run's experiment. Returns nullopt if the
// experiment cannot be read, or if the run has none because it was simulated in cost units or
// imported.
std::optional<engine::ModelSpec> modelOf(const engine::RunInfo& info);

// Returns the first and the last layer of a stage; nullopt if the stage has no layer.
std::optional<std::pair<int, int>> layersOf(const engine::ModelSpec& model,
                                            const engine::Shape& shape, engine::StageId stage);

// Returns the model FLOPs of an op, with full attention; 0 for an op that does not count as work of
// the model, such as a recompute. The ops of an iteration add up to engine::flopsPerIteration().
double modelFlopsOf(const engine::ModelSpec& model, const engine::Shape& shape,
                    const engine::Op& op);

} // namespace app
