#pragma once

#include "profiler/store/sqlite.h"

namespace profiler {

// Checks that the file is a run of this format. Unsupported: another program wrote it, it has
// another format, or it has views, triggers or virtual tables, which would run in this process.
engine::Result<void> identify(Database& database, const std::filesystem::path& file);

// Why SQLite could not read it (SQLITE_NOTADB, SQLITE_CORRUPT), from its bytes. No writer of
// this process may have it open.
engine::Error whatItIs(const std::filesystem::path& file, int code);

} // namespace profiler
