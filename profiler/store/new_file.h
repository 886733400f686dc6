#pragma once

#include "engine/base/result.h"
#include "profiler/store/trace_store.h"

#include <filesystem>

namespace profiler {

// A file that is written next to its target and renamed when it is complete, so that the target
// is never incomplete and is replaced only by a valid file. Removed if it is not published.
class NewFile
{
public:
    // Io: the folder is missing or read-only, or the file exists and must not be replaced.
    static engine::Result<NewFile> beside(const std::filesystem::path& target, IfExists ifExists);
    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&&) = delete;
    ~NewFile();

    const std::filesystem::path& path() const { return m_path; }
    // Renames it to the target and removes SQLite's companions of the old file. Requires that no
    // connection is open.
    engine::Result<void> publish();

private:
    NewFile(std::filesystem::path target, IfExists ifExists);

    std::filesystem::path m_target, m_path; // m_path is empty when it was published
    IfExists m_ifExists;
};

// The name of a companion file of SQLite.
std::filesystem::path companion(const std::filesystem::path& file, std::string_view suffix);

// Flushes the file and its directory entry to disk.
engine::Result<void> syncToDisk(const std::filesystem::path& file);

} // namespace profiler
