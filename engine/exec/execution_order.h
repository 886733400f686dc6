#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/pipeline/pipeline.h"

namespace engine {

// Returns the ops in the order in which the simulator starts them with `costs`. Each op follows its
// inputs, and the evicts and loads of a device are in program order.
Result<std::vector<OpRef>> executionOrder(const Schedule& lowered, const OpCosts& costs);

} // namespace engine
