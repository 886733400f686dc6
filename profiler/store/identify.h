#pragma once

#include "profiler/store/sqlite.h"

namespace profiler {

// Checks that the file is a run of this format. Returns Unsupported if another program wrote it, if
// it has another format, or if it has views, triggers or virtual tables, because these would run in
// this process.
engine::Result<void> identify(Database& database, const std::filesystem::path& file);

// Examines the bytes of a file that SQLite could not read (SQLITE_NOTADB, SQLITE_CORRUPT) and says
// why. No writer of this process may have the file open.
engine::Error whatItIs(const std::filesystem::path& file, int code);

} // namespace profiler
