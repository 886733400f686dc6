#include "profiler/store/open_file.h"

#include "engine/base/memory_capacity.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/store/schema.h"
#include "profiler/store/table.h"
#include "profiler/store/trace_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace profiler {

using namespace engine;
namespace fs = std::filesystem;

namespace {

constexpr const char* kImportIt = "import it with bscope import, or File > Import traces";

Result<std::string> tableNames(Database& database)
{
    return database.text("SELECT group_concat(name, ', ') FROM (SELECT name FROM sqlite_schema "
                         "WHERE type = 'table' ORDER BY name LIMIT 4)");
}

Result<void> ofAnotherProgram(Database& database, const std::string& name)
{
    const auto nsight = database.integer("SELECT count(*) FROM sqlite_schema WHERE name IN "
                                         "('META_DATA_EXPORT', 'NVTX_EVENTS') OR "
                                         "name LIKE 'CUPTI_ACTIVITY_KIND_%'");
    const auto tables = tableNames(database);
    if (!nsight || !tables)
        return fail(Error::Code::Corrupt, "{} is damaged: use another copy of it", name);
    if (*nsight > 0)
        return fail(Error::Code::Unsupported,
                    "{} is an Nsight Systems export, not a Bubblescope run: {}", name, kImportIt);
    TRY(refuseStudyResults(database, name));
    if (tables->empty())
        return fail(Error::Code::Unsupported, "{} is an empty SQLite file, not a Bubblescope run",
                    name);
    return fail(Error::Code::Unsupported,

                "{} is a SQLite file of another program (with tables {}), not a Bubblescope run",
                name, *tables);
}

Result<void> refuseCode(Database& database, const std::string& name)
{
    const auto found = TRY(database.text(
        "SELECT CASE WHEN type = 'table' THEN 'virtual table' ELSE type END || ' ' || name "
        "FROM sqlite_schema WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%' "
        "UNION ALL SELECT 'generated column ' || x.name FROM sqlite_schema AS s, "
        "pragma_table_xinfo(s.name) AS x WHERE s.type = 'table' AND x.hidden > 1 LIMIT 1"));
    if (found.empty())
        return {};
    return fail(Error::Code::Unsupported,
                "{} has the {}, but runs have no views, triggers, virtual tables or "
                "generated columns: another program has changed it; use another copy",
                name, found);
}

// By the SQLite header of the file; 0 if it does not state the size.
std::uintmax_t promisedSize(std::string_view header)
{
    const auto byte = [&](std::size_t at) {
        return static_cast<std::uintmax_t>(static_cast<unsigned char>(header[at]));
    };
    const std::uintmax_t pageSize = byte(16) << 8 | byte(17);
    const std::uintmax_t pages = byte(28) << 24 | byte(29) << 16 | byte(30) << 8 | byte(31);
    return (pageSize == 1 ? 65536 : pageSize) * pages;
}

struct Signature
{
    std::string_view start, what;
    bool mayBeTrace = false;
};

// The first bytes of files that users open by mistake.
constexpr std::array<Signature, 11> kSignatures{{
    {"{", "a JSON file", true},
    {"[", "a JSON file", true},
    {"\x1F\x8B", "a gzip file", true},
    {"PK\x03\x04", "a zip file", true},
    {"\x28\xB5\x2F\xFD", "a Zstandard file", true},
    {"\xFD\x37zXZ", "an xz file", true},
    {"BZh", "a bzip2 file", true},
    {"\x80\x02", "a pickle of Python", true},
    {"\x80\x04", "a pickle of Python", true},
    {"\x80\x05", "a pickle of Python", true},
    {"%PDF", "a PDF"},
}};
constexpr std::string_view kSqlite = "SQLite format 3";
constexpr std::size_t kHeader = 100; // bytes of the header of SQLite

std::string headerOf(const fs::path& file)
{
    std::string bytes(kHeader, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return bytes;
}

// Finds the kind of file by its first bytes. Skips a byte order mark and spaces before JSON.
const Signature* signatureOf(std::string_view header)
{
    if (header.starts_with("\xEF\xBB\xBF"))
        header.remove_prefix(3);
    header.remove_prefix(std::min(header.find_first_not_of(" \t\r\n"), header.size()));
    return std::ranges::find_if(kSignatures, [&](const Signature& signature) {
        return header.starts_with(signature.start);
    });
}

std::int64_t applicationId(std::string_view header)
{
    std::int64_t id = 0;
    for (std::size_t at = 68; at < 72; ++at)
        id = id << 8 | static_cast<unsigned char>(header[at]);
    return id;
}

Result<void> checkReadable(const fs::path& file)
{
    const std::string name = file.string();
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found)
        return fail(Error::Code::NotFound, "{} does not exist: check the name", name);
    if (fs::is_directory(status))
        return invalid("{} is a folder: name a run file in it", name);
    // The check does not open the file, because closing it again would release the locks that this
    // process has on it.
    if (error || faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0)
        return fail(Error::Code::Io, "{} cannot be read ({}): ask its owner for permission", name,
                    error ? error.message() : std::generic_category().message(errno));
    if (!fs::is_regular_file(status))
        return invalid("{} is not a file", name);
    if (fs::file_size(file, error) == 0)
        return fail(Error::Code::Corrupt, "{} is empty (0 bytes): record the run again", name);
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
    for (const std::string_view suffix : kSqliteCompanions) {
        const fs::path path = companion(file, suffix);
        std::error_code ignored;
        const fs::file_status status = fs::symlink_status(path, ignored);
        if (fs::exists(status) && !fs::is_regular_file(status))
            return fail(Error::Code::Corrupt,
                        "{} is not a regular file, so {} is not opened: delete {}", path.string(),
                        file.string(), path.filename().string());
    }
    const fs::path journal = companion(file, "-journal");
    if (namesSuperJournal(journal))
        return fail(Error::Code::Corrupt,
                    "{} would make SQLite delete another file, so {} is not opened: "
                    "delete {}",
                    journal.string(), file.string(), journal.filename().string());
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

// Examines the bytes of a file that SQLite could not read (SQLITE_NOTADB, SQLITE_CORRUPT). Returns
// an error whose message gives the reason. No writer of this process may have the file open.
Error whatItIs(const fs::path& file, int code)
{
    const std::string name = file.string();
    const std::string header = headerOf(file);
    std::error_code ignored;
    const std::uintmax_t size = fs::file_size(file, ignored);
    if (header.starts_with(kSqlite)) {
        if (header.size() < kHeader || size < promisedSize(header))
            return {Error::Code::Corrupt,
                    fmt::format("{} is truncated to {}: copy it again", name, bytesText(size))};
        return {Error::Code::Corrupt,
                fmt::format("{} is damaged ({}): use another copy or record the run again", name,
                            sqlite3_errstr(code))};
    }
    if (const auto* signature = signatureOf(header); signature != kSignatures.end())
        return {Error::Code::Corrupt,
                fmt::format("{} is {}, not a Bubblescope run{}", name, signature->what,
                            signature->mayBeTrace ? fmt::format(": if it is a trace, {}", kImportIt)
                                                  : std::string())};
    return {Error::Code::Corrupt,
            fmt::format("{} is not a SQLite file, so not a Bubblescope run", name)};
}

// Checks that the file is a run of this format. Fails with Error::Code::Unsupported if another
// program wrote the file, if the file has another format, or if it has views, triggers, virtual
// tables or generated columns, because these would run in this process.
Result<void> identify(Database& database, const fs::path& file)
{
    const std::string name = file.string();
    const auto application = TRY(database.integer("PRAGMA application_id"));
    const auto format = TRY(database.integer("PRAGMA user_version"));
    if (application != kApplicationId)
        return ofAnotherProgram(database, name);
    if (format != kFormat)
        return fail(Error::Code::Unsupported,
                    "{} has file format {}, this Bubblescope reads format {}: open it "
                    "with the Bubblescope that recorded it, or record the run again",
                    name, format, kFormat);
    return refuseCode(database, name);
}

Result<OpenFile> openCopy(const fs::path& file)
{
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "bubblescope-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()) == nullptr)
        error.assign(errno, std::generic_category());
    if (error)
        return fail(Error::Code::Io,
                    "{} must be copied to be read, and no temporary folder can be "
                    "created ({}); set TMPDIR to a writable folder",
                    file.string(), error.message());
    OpenFile open;
    open.copy.reset(new fs::path(pattern));
    const fs::path copy = *open.copy / "run.sqlite";
    for (const std::string_view suffix : {"", "-wal", "-journal"})
        if (!error && fs::exists(companion(file, suffix)))
            fs::copy_file(companion(file, suffix), companion(copy, suffix), error);
    if (error)
        return fail(Error::Code::Io, "{} cannot be copied to {} ({})", file.string(), copy.string(),
                    error.message());
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
        return fail(Error::Code::Io, "{} cannot be read", file.string());
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

Result<void> refuseStudyResults(Database& database, const std::string& name)
{
    for (const char* table : {"study", "results"})
        if (!hasTable(database, table).value_or(false))
            return {};
    return fail(Error::Code::Unsupported,
                "{} has the results of a study, not a run: open report.html beside it", name);
}

bool mayBeTrace(const fs::path& file)
{
    std::error_code ignored;
    if (fs::is_directory(file, ignored))
        return true;
    if (!fs::is_regular_file(file, ignored)) // reading a pipe would block
        return false;
    const std::string header = headerOf(file);
    if (header.starts_with(kSqlite))
        return header.size() == kHeader && applicationId(header) != kApplicationId;
    const auto* found = signatureOf(header);
    return found != kSignatures.end() ? found->mayBeTrace : file.extension() == ".tar";
}

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
    const auto lock = NewFile::beside(file, IfExists::Replace);
    if (!lock)
        return;
    auto database = Database::open(file, Database::Access::ReadWrite);
    if (!database || !harden(*database))
        return;
    sqlite3_busy_timeout(database->handle(), 0);
    (void)database->text("PRAGMA journal_mode=DELETE"); // fails while another program has it open
}

} // namespace profiler
