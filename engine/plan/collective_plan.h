#pragma once

#include "engine/plan/execution_plan.h"

namespace engine {

// Plans the ALLREDUCE ops of a schedule. The k-th ops of all devices that hold a stage sum its
// gradient of update k. With tied embeddings, the tied tensor is summed over both stages; with
// several data-parallel pipelines, the rest of each stage is summed over the pipelines. Parts of a
// stage do not overlap, so they may be summed in any order.
std::vector<ExecutionPlan::PlannedCollective> planCollectives(const Schedule& lowered,
                                                              const PipelineModel<float>& model);

} // namespace engine
