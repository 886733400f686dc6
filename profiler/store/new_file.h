#pragma once

#include "engine/base/result.h"
#include "profiler/store/trace_store.h"

#include <filesystem>

namespace profiler {

// A file that is made beside its final place and moved there when it is good, so that a name never
// holds half a file and a file that is replaced is lost only when its successor exists. Removed
// again when it is dropped unpublished.
class NewFile
{
public:
    // Io: the folder is missing or read-only, or the file exists and may not be replaced.
    static engine::Result<NewFile> beside(const std::filesystem::path& target, IfExists ifExists);
    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&&) = delete;
    ~NewFile();

    const std::filesystem::path& path() const { return m_path; }
    // Moves it to its place; what SQLite kept beside the old file goes too. No connection is open.
    engine::Result<void> publish();

private:
    NewFile(std::filesystem::path target, IfExists ifExists);

    std::filesystem::path m_target, m_path; // m_path is empty when it was published
    IfExists m_ifExists;
};

// What SQLite keeps beside a file while it is written.
std::filesystem::path companion(const std::filesystem::path& file, std::string_view suffix);

// The file and its entry in the folder are on the disk.
engine::Result<void> syncToDisk(const std::filesystem::path& file);

} // namespace profiler
