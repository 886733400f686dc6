#pragma once

#include "profiler/store/sqlite.h"

namespace profiler {

// The schema version of a run. Otherwise an error that names what the file is; Unsupported: a
// run with views, triggers or virtual tables, which would run in our process.
engine::Result<std::int64_t> identify(Database& database, const std::filesystem::path& file);

// Why SQLite could not read it (SQLITE_NOTADB, SQLITE_CORRUPT), from its bytes. No writer of
// this process may have it open.
engine::Error whatItIs(const std::filesystem::path& file, int code);

} // namespace profiler
