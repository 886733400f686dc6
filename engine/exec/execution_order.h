#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/pipeline/pipeline.h"

namespace engine {

// The ops in the order in which the simulator starts them with `costs`: each after its inputs,
// evicts and loads of a device in program order.
Result<std::vector<OpRef>> executionOrder(const Schedule& lowered, const OpCosts& costs);

} // namespace engine
