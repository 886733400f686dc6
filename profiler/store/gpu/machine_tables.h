#pragma once

#include "engine/timeline/gpu_facts.h"
#include "profiler/store/sqlite.h"

namespace profiler {

// Writes the CUDA configuration, peer access and, in the tables of Nsight Systems (TARGET_INFO_GPU,
// TARGET_INFO_CUDA_DEVICE), the GPUs of a run. Tables are created only if they have rows.
engine::Result<void> writeMachine(Database& database, const engine::GpuMachine& machine,
                                  std::int64_t process);
// Writes clocks and throttling. Call it at the end of the run, when they are known.
engine::Result<void> writeClocks(Database& database, const engine::GpuClocks& clocks);

// Reads everything except the clocks, which are stored as metrics.
engine::Result<engine::GpuMachine> readMachine(Database& database);

// "" if the file does not have it.
engine::Result<std::string> readHost(Database& database);

} // namespace profiler
