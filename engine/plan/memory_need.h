#pragma once

#include "engine/plan/memory_fit.h"

namespace engine {

MemoryNeed memoryNeed(const Experiment& experiment, const Schedule& lowered,
                      const ExecutionPlan& plan, const MemorySpaces& spaces);
// Returns the bytes that the NCCL communicators of each device occupy; 0 without NCCL. The ids
// cover the devices of all data-parallel pipelines.
IdVector<DeviceId, Bytes> communicatorNeed(const ExecutionPlan& plan);
// Returns the memory in bytes that the recording needs.
double recordOf(const Experiment& experiment, const Schedule& lowered);

bool fits(const MemoryNeed& need, const Experiment& experiment, const MemorySpaces& spaces);

} // namespace engine
