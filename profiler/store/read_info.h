#pragma once

#include "engine/timeline/run.h"
#include "profiler/store/sqlite.h"

namespace profiler {

// What write_info.h writes. Columns that are not there keep their defaults.
engine::Result<engine::RunInfo> readInfo(Database& database);
// Corrupt: rows that are out of order or point outside the shape.
engine::Result<engine::Schedule> readSchedule(Database& database);
// False: the file system of the writer had no WAL.
engine::Result<bool> usedWal(Database& database);

} // namespace profiler
