#pragma once

#include "engine/plan/execution_plan.h"

namespace engine {

// Plans the ALLREDUCE ops of a schedule. The k-th ALLREDUCE ops of all devices that hold a stage
// form one collective, which sums the stage's gradient of update k. With tied embeddings, one
// collective sums the tied tensor over both stages. With tied embeddings and several data-parallel
// pipelines, further collectives sum the rest of each stage over the pipelines. The summed parts of
// a stage do not overlap, so the collectives may run in any order.
std::vector<ExecutionPlan::PlannedCollective> planCollectives(const Schedule& lowered,
                                                              const PipelineModel<float>& model);

} // namespace engine
