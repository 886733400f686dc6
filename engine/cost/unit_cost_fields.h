#pragma once

#include "engine/base/field.h"
#include "engine/cost/cost_model.h"

namespace engine {

// The costs of a prediction in units: options of `bscope simulate`, the set-up and the editor.
// Setting B sets I and W to half of it; setting I or W makes B their sum.
Fields<UnitCosts> unitCostFields();

// InvalidArgument: costs between nodes, and nothing says where a node ends.
Result<void> checkUnitCosts(const UnitCosts& costs);
// "free", "0.1 units, 0.05 latency; 0.5 units between nodes of 4": what a run says of its messages.
std::string linkText(const UnitCosts& costs);

} // namespace engine
