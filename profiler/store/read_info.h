#pragma once

#include "engine/timeline/run.h"
#include "profiler/store/sqlite.h"

namespace profiler {

// Reads what write_info.h writes. Missing columns have default values.
engine::Result<engine::RunInfo> readInfo(Database& database);
// Returns Corrupt for rows that are out of order or have invalid indices.
engine::Result<engine::Schedule> readSchedule(Database& database);
// False if the file system of the writer does not support WAL.
engine::Result<bool> usedWal(Database& database);

} // namespace profiler
