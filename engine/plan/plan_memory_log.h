#pragma once

#include "engine/plan/device_planner.h"

namespace engine {

// Returns the allocations and frees of one iteration.
MemoryLog planMemoryLog(const PlanParts& parts, const ExecutionPlan& plan);

} // namespace engine
