#pragma once

#include "engine/base/field.h"
#include "engine/cost/cost_model.h"

namespace engine {

// The group of fields that apply to costs in cost units and to those of a model on hardware.
inline constexpr std::string_view kInterference = "Interference";

// The fields of UnitCosts, for the options of `bscope simulate`, the set-up page and the editor.
// Setting B sets I and W to half of B; setting I or W sets B to their sum.
Fields<UnitCosts> unitCostFields();

// Fails with Error::Code::InvalidArgument if costs between nodes are set without devicesPerNode, or
// if nicsPerNode exceeds devicesPerNode.
Result<void> checkUnitCosts(const UnitCosts& costs);
// Describes the links of a run: "free", "0.1 units, 0.05 latency; 0.5 units between nodes of 4
// devices".
std::string linkText(const UnitCosts& costs);

} // namespace engine
