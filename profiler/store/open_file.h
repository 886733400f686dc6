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
    // Of the copy, where a killed run lies in a folder in which SQLite cannot recover it. Goes
    // after the database.
    std::unique_ptr<const std::filesystem::path, RemoveFolder> copy;
    Database database;
};

// One clear line for everything that is not a run: missing, a folder, not allowed, not SQLite,
// truncated, damaged, of another program.
engine::Result<OpenFile> openFile(const std::filesystem::path& file);
// The same file to be written, once it is known to be a run. Io: it is read-only, and what to do.
engine::Result<Database> openFileForWriting(const std::filesystem::path& file);

} // namespace profiler
