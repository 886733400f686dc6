#pragma once

#include "engine/plan/memory_fit.h"

namespace engine {

MemoryNeed memoryNeed(const Experiment& experiment, const Schedule& lowered,
                      const ExecutionPlan& plan, const MemoryRooms& rooms);
// Bytes of NCCL communicators on each device, counted over all copies; 0 without NCCL.
IdVector<DeviceId, Bytes> communicatorNeed(const ExecutionPlan& plan);
// Bytes of the recording in memory.
double recordOf(const Experiment& experiment, const Schedule& lowered);

bool fits(const MemoryNeed& need, const Experiment& experiment, const MemoryRooms& rooms);

} // namespace engine
