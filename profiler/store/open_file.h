#pragma once

#include "profiler/store/sqlite.h"

#include <memory>

namespace profiler {

// An open run file that was checked to be a run, with SQLite's settings for files of unknown
// origin.
struct OpenFile
{
    struct RemoveFolder
    {
        void operator()(const std::filesystem::path* folder) const;
    };
    // A copy of the file, which is needed if SQLite cannot recover a killed run in its folder. It
    // is removed after the database is closed.
    std::unique_ptr<const std::filesystem::path, RemoveFolder> copy;
    Database database;
};

// Opens a run for reading. The error is one line that says what the file is instead: missing, a
// folder, not readable, not SQLite, truncated, damaged, or of another program.
engine::Result<OpenFile> openFile(const std::filesystem::path& file);
// Opens the file for writing after checking that it is a run. Returns Io with what to do if it is
// read-only.
engine::Result<Database> openFileForWriting(const std::filesystem::path& file);

// Moves the changes that a killed writer left in "-wal" into the run's file, and deletes "-wal" and
// "-shm". Does nothing if the file is still being written, is not a run, or may not be written by
// this user.
void sealAbandoned(const std::filesystem::path& file);

} // namespace profiler
