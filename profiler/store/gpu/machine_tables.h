#pragma once

#include "engine/timeline/gpu_facts.h"
#include "profiler/store/sqlite.h"

namespace profiler {

// What computed the run: GPUs as Nsight Systems describes them (TARGET_INFO_GPU,
// TARGET_INFO_CUDA_DEVICE), how CUDA was set up, who may copy to whom. Tables are made where there
// is something to say.
engine::Result<void> writeMachine(Database& database, const engine::GpuMachine& machine,
                                  std::int64_t process);
// How fast they ran, known at the end of the run.
engine::Result<void> writeClocks(Database& database, const engine::GpuClocks& clocks);

// Everything but the clocks, which are metrics.
engine::Result<engine::GpuMachine> readMachine(Database& database);

} // namespace profiler
