#pragma once

#include "engine/plan/memory_fit.h"

namespace engine {

MemoryNeed memoryNeed(const Experiment& experiment, const Schedule& lowered,
                      const ExecutionPlan& plan, const MemoryRooms& rooms);
// What communicators take on each device, counted through all copies, where NCCL carries; bytes.
std::vector<Bytes> communicatorNeed(const ExecutionPlan& plan);
// What its record takes in memory while it grows, bytes.
double recordOf(const Experiment& experiment, const Schedule& lowered);

bool fits(const MemoryNeed& need, const Experiment& experiment, const MemoryRooms& rooms);

} // namespace engine
