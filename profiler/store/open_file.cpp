#include "profiler/store/open_file.h"

#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/store/identify.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

namespace profiler {
namespace {

using engine::companion;
using engine::Error;
using engine::fail;
using engine::Result;
namespace fs = std::filesystem;

Result<void> checkReadable(const fs::path& file)
{
    const std::string name = file.string();
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found)
        return fail(Error::Code::NotFound, fmt::format("{} does not exist: check the name", name));
    if (fs::is_directory(status))
        return fail(Error::Code::InvalidArgument,
                    fmt::format("{} is a folder: name a run file in it", name));
    // The check does not open the file, because closing it again would release the locks that this
    // process has on it.
    if (error || faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0)
        return fail(Error::Code::Io,
                    fmt::format("{} cannot be read ({}): ask its owner for permission", name,
                                error ? error.message() : std::generic_category().message(errno)));
    if (!fs::is_regular_file(status))
        return fail(Error::Code::InvalidArgument, fmt::format("{} is not a file", name));
    if (fs::file_size(file, error) == 0)
        return fail(Error::Code::Corrupt,
                    fmt::format("{} is empty (0 bytes): record the run again", name));
    return {};
}

// The magic number at the end of a rollback journal that names another file, a super-journal.
// SQLite would delete that file when it rolls back (sqlite.org/fileformat2.html, "The Rollback
// Journal", and readSuperJournal() of pager.c).
constexpr unsigned char kJournalMagic[] = {0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7};

bool namesSuperJournal(const fs::path& journal)
{
    std::error_code error;
    const auto size = fs::file_size(journal, error);
    if (error || size <= sizeof kJournalMagic)
        return false;
    std::ifstream in(journal, std::ios::binary);
    char end[sizeof kJournalMagic] = {};
    in.seekg(-static_cast<std::streamoff>(sizeof end), std::ios::end);
    in.read(end, sizeof end);
    return std::memcmp(end, kJournalMagic, sizeof end) == 0;
}

// SQLite would follow a symbolic link next to a database and write into its target.
Result<void> checkCompanions(const fs::path& file)
{
    for (const std::string_view suffix : engine::kSqliteCompanions) {
        const fs::path path = companion(file, suffix);
        std::error_code ignored;
        const fs::file_status status = fs::symlink_status(path, ignored);
        if (fs::exists(status) && !fs::is_regular_file(status))
            return fail(Error::Code::Corrupt,
                        fmt::format("{} is not a regular file, so {} is not opened: delete {}",
                                    path.string(), file.string(), path.filename().string()));
    }
    const fs::path journal = companion(file, "-journal");
    if (namesSuperJournal(journal))
        return fail(Error::Code::Corrupt,
                    fmt::format("{} would make SQLite delete another file, so {} is not opened: "
                                "delete {}",
                                journal.string(), file.string(), journal.filename().string()));
    return {};
}

bool holdsBytes(const fs::path& file)
{
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return !error && size > 0;
}

// Opens the file and reads its first page, because SQLite detects most errors only then.
Result<Database> openAndProbe(const fs::path& file, Database::Access access, int& code,
                              std::chrono::milliseconds lockWait = kLockWait)
{
    auto database = TRY(Database::open(file, access, lockWait));
    database.limitWork();
    const auto tables = database.integer("SELECT rootpage FROM sqlite_schema LIMIT 1");
    code = database.code() & 0xFF;
    TRY(tables);
    return database;
}

bool needsAnotherWay(int code)
{
    return code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_IOERR;
}

Result<OpenFile> openCopy(const fs::path& file)
{
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "bubblescope-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()) == nullptr)
        error.assign(errno, std::generic_category());
    if (error)
        return fail(Error::Code::Io,
                    fmt::format("{} must be copied to be read, and no temporary folder can be "
                                "created ({}); set TMPDIR to a writable folder",
                                file.string(), error.message()));
    OpenFile open;
    open.copy.reset(new fs::path(pattern));
    const fs::path copy = *open.copy / "run.sqlite";
    for (const std::string_view suffix : {"", "-wal", "-journal"})
        if (!error && fs::exists(companion(file, suffix)))
            fs::copy_file(companion(file, suffix), companion(copy, suffix), error);
    if (error)
        return fail(Error::Code::Io,
                    fmt::format("{} cannot be copied to {} ({})", file.string(), copy.string(),
                                error.message()));
    fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add, error);
    TRY(checkCompanions(copy)); // checks again, because the original may have changed
    int code = SQLITE_OK;
    auto database = openAndProbe(copy, Database::Access::ReadWrite, code);
    if (!database)
        return tl::unexpected(code == SQLITE_OK ? database.error() : whatItIs(file, code));
    open.database = std::move(*database);
    return open;
}

Result<OpenFile> openAnyWay(const fs::path& file, std::chrono::milliseconds lockWait)
{
    int code = SQLITE_OK;
    auto database = openAndProbe(file, Database::Access::ReadOnly, code, lockWait);
    if (!database && needsAnotherWay(code)) {
        // The usual cause is that SQLite cannot create files in this folder. If a killed writer
        // left changes that must be recovered, a copy is opened. Otherwise the file is opened
        // without locks. This is safe, because a process that cannot create files here cannot write
        // the run either.
        if (holdsBytes(companion(file, "-wal")) || holdsBytes(companion(file, "-journal")))
            return openCopy(file);
        database = openAndProbe(file, Database::Access::Immutable, code);
    }
    if (!database && (code == SQLITE_CORRUPT || code == SQLITE_NOTADB))
        return tl::unexpected(whatItIs(file, code));
    if (!database)
        return tl::unexpected(database.error());
    OpenFile open;
    open.database = std::move(*database);
    return open;
}

// Sets what SQLite's documentation recommends for files of unknown origin.
Result<void> harden(Database& database)
{
    constexpr int kLongestValue = 64 << 20; // bytes
    sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, kLongestValue);
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    return database.execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; "
                            "PRAGMA mmap_size=0");
}

// Detects that the last page is truncated. SQLite would read the missing bytes as zeros.
Result<void> checkWhole(Database& database, const fs::path& file)
{
    if (holdsBytes(companion(file, "-wal"))) // the WAL may have pages that the file lacks
        return {};
    const auto pages = TRY(database.integer("PRAGMA page_count"));
    const auto pageSize = TRY(database.integer("PRAGMA page_size"));
    std::error_code error;
    const std::int64_t size = fs::file_size(file, error);
    if (error)
        return fail(Error::Code::Io, fmt::format("{} cannot be read", file.string()));
    if (size < pages * pageSize)
        return tl::unexpected(whatItIs(file, SQLITE_CORRUPT));
    return {};
}

template<class Check>
Result<OpenFile> openChecked(const fs::path& file, std::chrono::milliseconds lockWait, Check check)
{
    TRY(checkReadable(file));
    TRY(checkCompanions(file));
    auto open = TRY(openAnyWay(file, lockWait));
    TRY(harden(open.database));
    TRY(checkWhole(open.database, file));
    TRY(check(open.database));
    return open;
}

} // namespace

void OpenFile::RemoveFolder::operator()(const fs::path* folder) const
{
    std::error_code ignored;
    fs::remove_all(*folder, ignored);
    delete folder;
}

DiskFile onDisk(const fs::path& file)
{
    struct stat status = {};
    stat(file.c_str(), &status);
    return {status.st_dev, status.st_ino};
}

Result<OpenFile> openFile(const fs::path& file, std::chrono::milliseconds lockWait)
{
    return openChecked(file, lockWait,
                       [&](Database& database) { return identify(database, file); });
}

Result<OpenFile> openForeignFile(const fs::path& file)
{
    return openChecked(file, kLockWait, [](Database&) { return Result<void>(); });
}

Result<Database> openFileForWriting(const fs::path& file)
{
    TRY(openFile(file));
    const auto readOnly = [&file] {
        return Error{
            Error::Code::Io,
            fmt::format("{} is read-only: save a copy and continue with it", file.string())};
    };
    auto database = Database::open(file, Database::Access::ReadWrite);
    if (!database && faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) != 0)
        return tl::unexpected(readOnly());
    if (!database)
        return database;
    if (sqlite3_db_readonly(database->handle(), "main") != 0)
        return tl::unexpected(readOnly());
    database->limitWork();
    TRY(harden(*database));
    return database;
}

void sealAbandoned(const fs::path& file)
{
    std::error_code ignored;
    const bool isWhole = !fs::exists(companion(file, "-wal"), ignored);
    const bool mustRollBack = fs::exists(companion(file, "-journal"), ignored);
    if (isWhole || mustRollBack || !openFile(file))
        return;
    const auto lock = engine::NewFile::beside(file, engine::IfExists::Replace);
    if (!lock)
        return;
    auto database = Database::open(file, Database::Access::ReadWrite);
    if (!database || !harden(*database))
        return;
    sqlite3_busy_timeout(database->handle(), 0);
    (void)database->text("PRAGMA journal_mode=DELETE"); // fails while another program has it open
}

} // namespace profiler
