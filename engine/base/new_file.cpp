#include "engine/base/new_file.h"

#include "engine/base/hidden_file.h"
#include "engine/base/try.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>
#include <tuple>
#include <utility>

namespace engine {
namespace {

namespace fs = std::filesystem;

// Reservations have the suffix of locks, so that removeDead() also deletes reservations of killed
// processes.
constexpr std::string_view kPart = ".bscope-part", kLock = ".bscope-lock",
                           kReserved = ".name.bscope-lock";

std::string reason(int error = errno)
{
    return std::generic_category().message(error);
}

Error cannotWrite(const fs::path& file, const std::string& why)
{
    return {Error::Code::Io, fmt::format("cannot write {}: {}", file.string(), why)};
}

fs::path folderOf(const fs::path& file)
{
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

fs::path hidden(const fs::path& target, std::string_view suffix)
{
    return folderOf(target) / fmt::format(".{}{}", target.filename().string(), suffix);
}

// Removes hidden files that no process has locked: those of killed processes.
void removeDead(const fs::path& folder)
{
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with('.') || !name.ends_with(kLock))
            continue;
        LockFile lock(entry.path());
        if (lock.acquire() == 0)
            removeWithCompanions(
                folder / (name.substr(0, name.size() - kLock.size()) + std::string(kPart)));
    }
}

// The file may not exist.
fs::path linked(const fs::path& target)
{
    std::error_code error;
    if (!fs::is_symlink(target, error))
        return target;
    const fs::path resolved = fs::weakly_canonical(target, error);
    return error ? target : resolved;
}

Result<void> checkTarget(const fs::path& target, IfExists ifExists,
                         std::span<const fs::path> inputs)
{
    const std::string name = target.string();
    const fs::path folder = folderOf(target);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return tl::unexpected(cannotWrite(
            target, fmt::format("the folder {} does not exist; make it first", folder.string())));
    const fs::file_status status = fs::status(target, ignored);
    if (fs::is_directory(status))
        return tl::unexpected(cannotWrite(target, "it is a folder; name a file in it"));
    if (fs::exists(status) && !fs::is_regular_file(status))
        return tl::unexpected(
            cannotWrite(target, "it is a device, a pipe or a socket, not a file; name a file"));
    for (const fs::path& input : inputs)
        if (fs::equivalent(input, target, ignored))
            return invalid("{} is an input of this command: choose another name for the "
                           "output",
                           name);
    if (ifExists == IfExists::Refuse && fs::exists(status))
        return fail(Error::Code::Io,
                    "{} exists already: choose another name, or --force to replace it", name);
    if (fs::exists(status) && access(target.c_str(), W_OK) != 0)
        return tl::unexpected(
            cannotWrite(target, "it is read-only; choose another name or change its permissions"));
    if (access(folder.c_str(), W_OK) != 0)
        return tl::unexpected(cannotWrite(
            target, fmt::format("the folder {} is not writable ({})", folder.string(), reason())));
    return {};
}

Result<void> sync(const fs::path& path)
{
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool ok = descriptor >= 0 && fsync(descriptor) == 0;
    const int why = errno;
    if (descriptor >= 0)
        close(descriptor);
    if (!ok)
        return fail(Error::Code::Io, "cannot flush {} to disk ({}); check the disk", path.string(),
                    reason(why));
    return {};
}

// 0 or errno. Some file systems have no RENAME_NOREPLACE (EINVAL).
int renameTo(const fs::path& from, const fs::path& to, IfExists ifExists)
{
    const unsigned flags = ifExists == IfExists::Refuse ? RENAME_NOREPLACE : 0U;
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0)
        return 0;
    if (errno != EINVAL)
        return errno;
    if (ifExists == IfExists::Refuse && access(to.c_str(), F_OK) == 0)
        return EEXIST;
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int writePiece(int descriptor, std::string_view piece)
{
    while (!piece.empty()) {
        const ssize_t count = write(descriptor, piece.data(), piece.size());
        if (count > 0)
            piece.remove_prefix(static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            return count == 0 ? ENOSPC : errno;
    }
    return 0;
}

std::string adviceFor(int error)
{
    const bool isFull = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return fmt::format("{}; {}", reason(error),
                       isFull ? "free some space or choose another folder"
                              : "check the folder or choose another one");
}

// Writes `content` to `file`. Errors name `target`.
Result<void> writeAll(const fs::path& file, const TextSource& content, const fs::path& target)
{
    const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return tl::unexpected(cannotWrite(target, adviceFor(errno)));
    int failed = 0;
    Result<void> read = content([&](std::string_view piece) {
        if (failed == 0)
            failed = writePiece(descriptor, piece);
    });
    if (close(descriptor) != 0 && failed == 0)
        failed = errno;
    if (failed != 0)
        return tl::unexpected(cannotWrite(target, adviceFor(failed)));
    return read;
}

} // namespace

Result<ReservedName> ReservedName::firstFree(const std::function<fs::path(int)>& name)
{
    for (int i = 1;; ++i) {
        const fs::path target = name(i);
        auto reservation = std::make_unique<LockFile>(hidden(target, kReserved));
        const int failed = reservation->acquire();
        if (failed != 0 && failed != EWOULDBLOCK)
            return tl::unexpected(cannotWrite(target, adviceFor(failed)));
        std::error_code ignored;
        if (failed == 0 && !isBeingWritten(target)
            && !fs::exists(fs::symlink_status(target, ignored)))
            return ReservedName(target, std::move(reservation));
    }
}

ReservedName::ReservedName(fs::path path, std::unique_ptr<LockFile> lock)
    : m_path(std::move(path))
    , m_lock(std::move(lock))
{ }
ReservedName::ReservedName(ReservedName&&) noexcept = default;
ReservedName& ReservedName::operator=(ReservedName&&) noexcept = default;
ReservedName::~ReservedName() = default;

struct NewFile::State
{
    State(fs::path of, IfExists what)
        : target(std::move(of))
        , part(hidden(target, kPart))
        , ifExists(what)
        , lock(hidden(target, kLock))
    { }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State()
    {
        if (ownsPart)
            removeWithCompanions(part);
    }

    fs::path target, part;
    IfExists ifExists;
    bool ownsPart = false; // true from acquiring the lock to publishing
    LockFile lock;
    RemovedOnSignal removal;
};

Result<NewFile> NewFile::attempt(const fs::path& target, IfExists ifExists,
                                 std::span<const fs::path> inputs, bool& isBusy)
{
    TRY(checkTarget(target, ifExists, inputs));
    auto state = std::make_unique<State>(target, ifExists);
    const int failed = state->lock.acquire();
    isBusy = failed == EWOULDBLOCK;
    if (isBusy)
        return tl::unexpected(cannotWrite(
            target, "another process is writing it; choose another name or stop that process"));
    if (failed != 0)
        return tl::unexpected(cannotWrite(target, adviceFor(failed)));
    removeDead(folderOf(target));
    removeWithCompanions(state->part);
    state->ownsPart = true;
    state->removal.remember(state->part);
    // Checks again, because the process that held the lock before may have published the target
    // since the first check.
    TRY(checkTarget(target, ifExists, inputs));
    return NewFile(std::move(state));
}

Result<NewFile> NewFile::beside(const fs::path& target, IfExists ifExists,
                                std::span<const fs::path> inputs)
{
    bool isBusy = false;
    return attempt(linked(target), ifExists, inputs, isBusy);
}

Result<NewFile> NewFile::firstFree(const std::function<fs::path(int)>& name)
{
    for (int i = 1;; ++i) {
        const fs::path target = name(i);
        LockFile reservation(hidden(target, kReserved));
        bool isBusy = reservation.acquire() == EWOULDBLOCK;
        if (isBusy)
            continue;
        auto file = attempt(target, IfExists::Refuse, {}, isBusy);
        std::error_code ignored;
        if (file || !(isBusy || fs::exists(fs::symlink_status(target, ignored))))
            return file;
    }
}

NewFile::NewFile(std::unique_ptr<State> state)
    : m_state(std::move(state))
{ }
NewFile::NewFile(NewFile&&) noexcept = default;
NewFile& NewFile::operator=(NewFile&&) noexcept = default;
NewFile::~NewFile() = default;

const fs::path& NewFile::target() const
{
    return m_state->target;
}

const fs::path& NewFile::path() const
{
    return m_state->part;
}

Result<void> NewFile::publish()
{
    const auto& [target, part, ifExists]
        = std::tie(m_state->target, m_state->part, m_state->ifExists);
    struct stat old = {};
    if (stat(target.c_str(), &old) == 0)
        (void)chmod(part.c_str(), old.st_mode & 07777);
    TRY(sync(part));
    // SQLite would apply the journal of the replaced file to the new file. The journals are moved
    // away first and deleted after the rename, so that a failed rename loses nothing.
    for (const std::string_view suffix : kSqliteCompanions)
        (void)std::rename(companion(target, suffix).c_str(), companion(part, suffix).c_str());
    if (const int failed = renameTo(part, target, ifExists); failed != 0) {
        for (const std::string_view suffix : kSqliteCompanions)
            (void)std::rename(companion(part, suffix).c_str(), companion(target, suffix).c_str());
        return tl::unexpected(cannotWrite(target, adviceFor(failed)));
    }
    m_state->removal.forget();
    m_state->ownsPart = false;
    removeWithCompanions(part);
    return sync(folderOf(target));
}

Result<void> saveFile(NewFile file, const TextSource& content)
{
    if (isSqlite(file.target()))
        return tl::unexpected(cannotWrite(
            file.target(), "it is a SQLite file (a recorded run?); choose another name"));
    return writeAll(file.path(), content, file.target()).and_then([&] { return file.publish(); });
}

Result<void> saveFile(NewFile file, std::string_view content)
{
    return saveFile(std::move(file), [content](const TextSink& sink) -> Result<void> {
        sink(content);
        return {};
    });
}

Result<void> saveFile(const fs::path& target, std::string_view content, IfExists ifExists,
                      std::span<const fs::path> inputs)
{
    return NewFile::beside(target, ifExists, inputs).and_then([&](NewFile file) {
        return saveFile(std::move(file), content);
    });
}

fs::path targetOf(const fs::path& file)
{
    const std::string name = file.filename().string();
    return name.starts_with('.') && name.ends_with(kPart) && name.size() > 1 + kPart.size()
        ? file.parent_path() / name.substr(1, name.size() - 1 - kPart.size())
        : file;
}

bool isBeingWritten(const fs::path& target)
{
    return LockFile(hidden(target, kLock)).acquire() == EWOULDBLOCK;
}

bool isSqlite(const fs::path& file)
{
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) // opening a pipe would wait for its writer
        return false;
    std::array<char, 16> start{};
    std::ifstream in(file, std::ios::binary);
    in.read(start.data(), start.size());
    return std::string_view(start.data(), start.size())
        == std::string_view("SQLite format 3", start.size());
}

fs::path companion(const fs::path& file, std::string_view suffix)
{
    fs::path name = file;
    return name += suffix;
}

void removeWithCompanions(const fs::path& file)
{
    std::error_code ignored;
    fs::remove(file, ignored);
    for (const std::string_view suffix : kSqliteCompanions)
        fs::remove(companion(file, suffix), ignored);
}

Result<void> syncToDisk(const fs::path& file)
{
    return sync(file).and_then([&] { return sync(folderOf(file)); });
}

} // namespace engine
