#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace engine {

enum class IfExists : std::uint8_t { Refuse, Replace };

// A file that is written under a hidden name beside its target and renamed when it is complete, so
// that the target is never incomplete. While the object lives it holds a lock on the target's
// name (flock on ".NAME.bscope-lock"), so no other Bubblescope process writes the same target. The
// hidden files are removed by the destructor and by removeHiddenFiles(); those of killed
// processes are removed by the next NewFile in the folder.
class NewFile
{
public:
    // Io: the target is not a regular file, or it exists and must not be replaced, or another
    // process is writing it, or the folder is missing or read-only. InvalidArgument: the target is
    // one of `inputs`. A symbolic link is followed.
    static Result<NewFile> beside(const std::filesystem::path& target, IfExists ifExists,
                                  std::span<const std::filesystem::path> inputs = {});
    // The first of name(1), name(2), ... that does not exist and is not being written.
    static Result<NewFile> firstFree(const std::function<std::filesystem::path(int)>& name);
    NewFile(NewFile&&) noexcept;
    NewFile& operator=(NewFile&&) noexcept;
    ~NewFile();

    const std::filesystem::path& target() const;
    const std::filesystem::path& path() const; // the hidden name, until it is published
    // Flushes the hidden file to disk and renames it to the target, and removes SQLite's companion
    // files of the replaced target. Requires that no SQLite connection to it is open.
    Result<void> publish();

private:
    struct State;
    static Result<NewFile> attempt(const std::filesystem::path& target, IfExists ifExists,
                                   std::span<const std::filesystem::path> inputs, bool& isBusy);
    explicit NewFile(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

// Replaces or creates `target` with `content`: the old content stays until the new one is on disk.
// Errors are those of NewFile::beside(), and Io: `target` is a SQLite file, such as a recorded
// run, or the disk is full.
Result<void> saveFile(NewFile target, std::string_view content);
Result<void> saveFile(const std::filesystem::path& target, std::string_view content,
                      IfExists ifExists, std::span<const std::filesystem::path> inputs = {});

// True if the file starts as a SQLite database does.
bool isSqlite(const std::filesystem::path& file);

// The names of SQLite's files beside a database: "-journal", "-wal", "-shm".
constexpr std::string_view kSqliteCompanions[] = {"-journal", "-wal", "-shm"};
std::filesystem::path companion(const std::filesystem::path& file, std::string_view suffix);

// Flushes a file and its directory entry to disk.
Result<void> syncToDisk(const std::filesystem::path& file);

} // namespace engine
