#pragma once

#include "engine/exec/memory_fit.h"

namespace engine {

MemoryNeed memoryNeed(const Experiment& experiment, const Schedule& lowered,
                      const ExecutionPlan& plan, const MemoryRooms& rooms);
// What its record takes in memory while it grows, bytes.
double recordOf(const Experiment& experiment, const Schedule& lowered);

bool fits(const MemoryNeed& need, const Experiment& experiment, const MemoryRooms& rooms);

} // namespace engine
