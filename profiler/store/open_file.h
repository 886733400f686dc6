#pragma once

#include "profiler/store/sqlite.h"

#include <memory>

namespace profiler {

// Fails with Error::Code::Unsupported if the file, which is called `name`, has the results of a
// study.
engine::Result<void> refuseStudyResults(Database& database, const std::string& name);

// An open file that was verified to be a run, with SQLite settings for untrusted files.
struct OpenFile
{
    struct RemoveFolder
    {
        void operator()(const std::filesystem::path* folder) const;
    };
    // Set if SQLite could not recover a killed run in the folder of the run: the copy that was
    // opened instead. Declared first, so that the copy is removed after the database is closed.
    std::unique_ptr<const std::filesystem::path, RemoveFolder> copy;
    Database database;
};

// Device and inode, to detect that a file was replaced; zeros if there is no file.
using DiskFile = std::pair<std::uint64_t, std::uint64_t>;
DiskFile onDisk(const std::filesystem::path& file);

// Opens a run for reading. If the file is not a run, the error message says in one line what it is:
// missing, a folder, not readable, not SQLite, truncated, damaged, or of another program.
engine::Result<OpenFile> openFile(const std::filesystem::path& file,
                                  std::chrono::milliseconds lockWait = kLockWait);
// Opens a SQLite file of another program for reading, with the same checks and settings.
engine::Result<OpenFile> openForeignFile(const std::filesystem::path& file);
// Opens the file for writing after checking that it is a run. Fails with Error::Code::Io if the
// file is read-only; the message says what to do.
engine::Result<Database> openFileForWriting(const std::filesystem::path& file);

// Moves the changes that a killed writer left in "-wal" into the run's file, and deletes "-wal" and
// "-shm". Does nothing if the file is still being written, is not a run, or may not be written by
// this user.
void sealAbandoned(const std::filesystem::path& file);

} // namespace profiler
