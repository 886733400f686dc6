#pragma once

#include "engine/exec/memory_fit.h"

namespace engine {

MemoryNeed memoryNeed(const Experiment& experiment, const Schedule& lowered,
                      const ExecutionPlan& plan);
// What its record takes in memory while it grows, bytes.
double recordOf(const Experiment& experiment, const Schedule& lowered);

// Some of the machine is left to the rest of it.
constexpr double kUsableShare = 0.9;
bool fitsMachine(double bytes, Bytes available);
bool fits(const MemoryNeed& need, const Experiment& experiment, Bytes available);

} // namespace engine
