#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace engine {

// A text of any length in pieces: the source calls the sink with each piece in order. If the source
// fails, the text is incomplete.
using TextSink = std::function<void(std::string_view)>;
using TextSource = std::function<Result<void>(const TextSink&)>;

class LockFile;

enum class IfExists : std::uint8_t { Refuse, Replace };

// Reserves a file name: until the object is destroyed, NewFile::firstFree() and firstFree() skip
// the name in every process. Writing the file does not need the reservation.
class ReservedName
{
public:
    // Reserves the first of name(1), name(2), ... that neither exists nor is reserved. Fails with
    // Error::Code::Io if the folder is missing or read-only.
    static Result<ReservedName> firstFree(const std::function<std::filesystem::path(int)>& name);
    ReservedName(ReservedName&&) noexcept;
    ReservedName& operator=(ReservedName&&) noexcept;
    ~ReservedName();

    const std::filesystem::path& path() const { return m_path; }

private:
    ReservedName(std::filesystem::path path, std::unique_ptr<LockFile> lock);
    std::filesystem::path m_path;
    std::unique_ptr<LockFile> m_lock;
};

// A file that is written under a hidden name in the target's folder and renamed to the target when
// it is complete, so that the target is never incomplete. The object locks the target's name (flock
// on ".NAME.bscope-lock"), so that no other Bubblescope process writes the same target. The
// destructor and removeHiddenFiles() remove the hidden files; the next NewFile in the folder
// removes those that a killed process left.
class NewFile
{
public:
    // Fails with Error::Code::Io if the target is not a regular file, if it exists and must not be
    // replaced, if another process is writing it, or if the folder is missing or read-only. Fails
    // with Error::Code::InvalidArgument if the target is one of `inputs`. Follows a symbolic link.
    static Result<NewFile> beside(const std::filesystem::path& target, IfExists ifExists,
                                  std::span<const std::filesystem::path> inputs = {});
    // Creates the first of name(1), name(2), ... that does not exist, is not being written and is
    // not reserved.
    static Result<NewFile> firstFree(const std::function<std::filesystem::path(int)>& name);
    NewFile(NewFile&&) noexcept;
    NewFile& operator=(NewFile&&) noexcept;
    ~NewFile();

    const std::filesystem::path& target() const;
    const std::filesystem::path& path() const; // the hidden name, until publish()
    // Flushes the hidden file to disk, renames it to the target, and removes the companion files
    // that SQLite left for the replaced target. Requires that no SQLite connection to the hidden
    // file is open.
    Result<void> publish();

private:
    struct State;
    static Result<NewFile> attempt(const std::filesystem::path& target, IfExists ifExists,
                                   std::span<const std::filesystem::path> inputs, bool& isBusy);
    explicit NewFile(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

// Creates or replaces `target`; a reader sees either its old content or all of `content`. Returns
// the errors of NewFile::beside() and of the source, and Error::Code::Io if `target` is a SQLite
// file (for example a recorded run) or the disk is full.
Result<void> saveFile(NewFile target, const TextSource& content);
Result<void> saveFile(NewFile target, std::string_view content);
Result<void> saveFile(const std::filesystem::path& target, std::string_view content,
                      IfExists ifExists, std::span<const std::filesystem::path> inputs = {});

// The target if `file` is the hidden file of a NewFile, otherwise `file`. For messages.
std::filesystem::path targetOf(const std::filesystem::path& file);
// Whether a NewFile of any process has the target locked.
bool isBeingWritten(const std::filesystem::path& target);

bool isSqlite(const std::filesystem::path& file);

// The suffixes of the files that SQLite keeps in the folder of a database.
constexpr std::string_view kSqliteCompanions[] = {"-journal", "-wal", "-shm"};
std::filesystem::path companion(const std::filesystem::path& file, std::string_view suffix);
void removeWithCompanions(const std::filesystem::path& database);

// Flushes a file and its directory entry to disk.
Result<void> syncToDisk(const std::filesystem::path& file);

} // namespace engine
