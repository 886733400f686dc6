#pragma once

#include "engine/timeline/run.h"
#include "profiler/store/sqlite.h"

#include <span>
#include <string>

namespace profiler {

// Writes a file with tables, info and schedule, but without the rows that are added during a run.
// `file` must not exist.
engine::Result<void> writeEmptyRun(const std::filesystem::path& file, const engine::RunInfo& info,
                                   const engine::Schedule& schedule);

// The data that is written at the end of a run.
struct RunEnd
{
    engine::Outcome outcome;
    const std::string& failure;
    std::span<const engine::ArenaUse> arenas;
    std::int64_t lastEnd = 0;      // end of the run in ns; scripts of Nsight Systems read it first
    engine::GpuClocks clocks = {}; // empty if already written, or not measured
};
engine::Result<void> writeEnd(Database& database, const RunEnd& end);

// Merges "-wal" into the run's file, flushes the file and closes the database. Waits up to ten
// seconds for readers. Fails with Error::Code::Io if a reader remains; the run is then complete,
// but a part of it is still in "-wal".
engine::Result<void> seal(Database database);

} // namespace profiler
