#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/pipeline/pipeline.h"

namespace engine {

// The ops in the order in which the simulator starts them under `costs`: each comes after what it
// consumes, and evicts and loads of a device in the order of its program.
Result<std::vector<OpRef>> executionOrder(const Schedule& lowered, const OpCosts& costs);

} // namespace engine
