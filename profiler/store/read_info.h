#pragma once

#include "engine/timeline/run.h"
#include "profiler/store/sqlite.h"

namespace profiler {

// Reads what writeInfo() (write_info.h) writes. Missing columns have default values.
engine::Result<engine::RunInfo> readInfo(Database& database);
// Fails with Error::Code::Corrupt if rows are out of order or have invalid indices.
engine::Result<engine::Schedule> readSchedule(Database& database);
// Whether the writer used WAL; false if its file system does not support WAL.
engine::Result<bool> usedWal(Database& database);

} // namespace profiler
