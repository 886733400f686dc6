#pragma once

#include "profiler/store/sqlite.h"

namespace profiler {

// Checks that the file is a run of this format. Fails with Error::Code::Unsupported if another
// program wrote the file, if the file has another format, or if it has views, triggers, virtual
// tables or generated columns, because these would run in this process.
engine::Result<void> identify(Database& database, const std::filesystem::path& file);

// Fails with Error::Code::Unsupported if the file, which is called `name`, has the results of a
// study.
engine::Result<void> refuseStudyResults(Database& database, const std::string& name);

// Examines the bytes of a file that SQLite could not read (SQLITE_NOTADB, SQLITE_CORRUPT). Returns
// an error whose message gives the reason. No writer of this process may have the file open.
engine::Error whatItIs(const std::filesystem::path& file, int code);

} // namespace profiler
