#pragma once

#include "engine/timeline/run.h"
#include "profiler/store/sqlite.h"

namespace profiler {

// A complete file without rows: tables, info, schedule. `file` must not exist yet.
engine::Result<void> writeEmptyRun(const std::filesystem::path& file, const engine::RunInfo& info,
                                   const engine::Schedule& schedule);

// The last rows of a run: outcome, failure, and the extent that scripts ask for first.
engine::Result<void> writeEnd(Database& database, engine::Outcome outcome,
                              const std::string& failure, std::int64_t lastEnd);

// Makes the file complete in itself: nothing beside it, on the disk. Closes the database. Waits a
// while for readers; Io when one stays, and the run is whole then, in two files.
engine::Result<void> seal(Database database);

} // namespace profiler
