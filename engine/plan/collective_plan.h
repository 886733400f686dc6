#pragma once

#include "engine/plan/execution_plan.h"

namespace engine {

// What the ALLREDUCE ops of a schedule sum: a stage's gradient over all that hold the stage; of
// tied embeddings the tied tensor over both, and over several copies of the pipeline also the rest
// of either stage. The parts of a stage do not overlap, so they may run in any order.
std::vector<ExecutionPlan::PlannedCollective> planCollectives(const Schedule& lowered,
                                                              const PipelineModel<float>& unit);

} // namespace engine
