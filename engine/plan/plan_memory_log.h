#pragma once

#include "engine/plan/device_planner.h"

namespace engine {

// What an iteration allocates and frees, op by op.
MemoryLog planMemoryLog(const PlanParts& parts, const ExecutionPlan& plan);

} // namespace engine
