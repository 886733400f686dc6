#pragma once

#include "engine/plan/execution_plan.h"

namespace engine {

// Plans the ALLREDUCE ops of a schedule. Each sums the gradient of a stage over all devices that
// hold the stage. With tied embeddings, the tied tensor is summed over both stages; with several
// data-parallel pipelines, the rest of each stage is summed over the pipelines. Parts of a stage do
// not overlap, so they may be summed in any order.
std::vector<ExecutionPlan::PlannedCollective> planCollectives(const Schedule& lowered,
                                                              const PipelineModel<float>& model);

} // namespace engine
