#pragma once

#include "profiler/store/sqlite.h"

#include <memory>

namespace profiler {

// A run's file, open for reading, hardened against files of unknown origin, and known to be
// a run.
struct OpenFile
{
    struct RemoveFolder
    {
        void operator()(const std::filesystem::path* folder) const;
    };
    // A copy of the file, needed if SQLite cannot recover a killed run in its folder. Removed
    // after the database is closed.
    std::unique_ptr<const std::filesystem::path, RemoveFolder> copy;
    Database database;
};

// Errors are one line for everything that is not a run: missing, a folder, no permission, not
// SQLite, truncated, damaged, of another program.
engine::Result<OpenFile> openFile(const std::filesystem::path& file);
// Opens the file for writing after checking that it is a run. Io: it is read-only, and what to
// do.
engine::Result<Database> openFileForWriting(const std::filesystem::path& file);

// Moves what a killed writer left in "-wal" into the run's file and deletes "-wal" and "-shm". Does
// nothing if the file is still being written, is not a run, or must not be written by this user.
void sealAbandoned(const std::filesystem::path& file);

} // namespace profiler
