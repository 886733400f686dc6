#pragma once

#include "engine/cost/cost_model.h"
#include "engine/experiment/accumulate.h"
#include "engine/model/pipeline_model.h"

namespace engine {

// Costs in nanoseconds to place an emulated run with. Transfers and all-reduces follow the link
// model. The cost of a compute op is proportional to its FLOPs until the op is measured.
struct EmulationCosts
{
    const Schedule& lowered;
    const PipelineModel<float>& model; // a pass of one unit of work (stash_plan.h)
    LinkCost link;
};
OpCosts estimatedCosts(const EmulationCosts& input);

// Returns the time in ns of a ring all-reduce over n devices: 2 (n - 1) (latency + bytes / (n
// bandwidth)).
std::int64_t ringAllReduce(const LinkCost& link, int devices, Bytes bytes);

} // namespace engine
