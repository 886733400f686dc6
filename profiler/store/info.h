#pragma once

#include "engine/timeline/run.h"
#include "profiler/store/sqlite.h"

#include <span>

namespace profiler {

// Writes the parts of a run that do not grow: info, metrics, devices, schedule. The tables must
// already exist.
engine::Result<void> writeInfo(Database& database, const engine::RunInfo& info);
engine::Result<void> writeSchedule(Database& database, const engine::Schedule& schedule);
engine::Result<void> writeDevices(Database& database, const engine::Run& run, std::int64_t process);
// Updates the rows that writeDevices() has written.
engine::Result<void> writeArenas(Database& database, std::span<const engine::ArenaUse> arenas);

engine::Result<void> writeOutcome(Database& database, engine::Outcome outcome,
                                  const std::string& failure);
// Stores the journal mode of the writer: "wal", or "delete" if the file system does not support
// WAL.
engine::Result<void> writeJournal(Database& database, const std::string& journal);

// Writes the CUDA configuration, peer access and, in the tables of Nsight Systems (TARGET_INFO_GPU,
// TARGET_INFO_CUDA_DEVICE), the GPUs of a run. Tables are created only if they have rows.
engine::Result<void> writeMachine(Database& database, const engine::GpuMachine& machine,
                                  std::int64_t process);
// Writes clocks and throttling. Call it at the end of the run, when they are known.
engine::Result<void> writeClocks(Database& database, const engine::GpuClocks& clocks);

// Reads what writeInfo() and writeMachine() write. Missing columns have default values.
engine::Result<engine::RunInfo> readInfo(Database& database);
// Fails with Error::Code::Corrupt if rows are out of order or have invalid indices.
engine::Result<engine::Schedule> readSchedule(Database& database);
// Whether the writer used WAL; false if its file system does not support WAL.
engine::Result<bool> usedWal(Database& database);

// Sets Timeline::kernels of an imported run from the kernels in its file.
engine::Result<void> readKernelTimes(Database& database, engine::Run& run);

} // namespace profiler
