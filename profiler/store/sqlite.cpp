#include "profiler/store/sqlite.h"

#include "engine/base/new_file.h"
#include "engine/base/try.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <system_error>

namespace profiler {
namespace {

using namespace engine;

// SQLite frees pages of its caches above the soft limit, and fails above the hard limit. It needs
// 3 MiB to read a run; one value may have 64 MiB.
constexpr sqlite3_int64 kSoftHeapLimit = 256 << 20, kHardHeapLimit = 512 << 20;

// Statements on an untrusted file may execute this many instructions of SQLite's virtual machine:
// kFewestSteps (half a second) plus kStepsOfByte per byte of the file. Reading a whole run takes
// only about a quarter of an instruction per byte.
constexpr double kFewestSteps = 5e7, kStepsOfByte = 20;
constexpr int kStepsBetweenChecks = 100'000;

// The file as an SQLite URI: only URIs support `immutable`. A URI also keeps SQLite from parsing a
// file name such as "file:x" as a URI.
std::string uri(const std::filesystem::path& file, std::string_view query)
{
    std::string out = "file:";
    for (const char c : std::filesystem::absolute(file).string()) {
        if (c == '%' || c == '?' || c == '#')
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out.append(query);
}

std::string_view query(Database::Access access)
{
    constexpr std::array kQueries{"?mode=ro", "?mode=ro&immutable=1", "?mode=rw", "?mode=rwc"};
    return kQueries[static_cast<std::size_t>(access)];
}

Error damagedFile(const std::filesystem::path& file, std::string_view what)
{
    return {Error::Code::Corrupt,
            fmt::format("{} is damaged ({}): use another copy or record the run again",
                        targetOf(file).string(), what)};
}

// The largest memory in use plus the largest allocation requested, since the last reset. Of all
// databases of the process.
sqlite3_int64 mostMemory(bool reset = false)
{
    sqlite3_int64 now = 0, used = 0, requested = 0;
    sqlite3_status64(SQLITE_STATUS_MEMORY_USED, &now, &used, reset ? 1 : 0);
    sqlite3_status64(SQLITE_STATUS_MALLOC_SIZE, &now, &requested, reset ? 1 : 0);
    return used + requested;
}

// SQLite does not keep the EFBIG of a failed write. A write that does not fit is not begun.
bool reachesSizeLimit(const std::filesystem::path& file)
{
    constexpr rlim_t kLargestWrite = 1 << 20;
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return false;
    return std::ranges::any_of(std::array<std::string_view, 2>{"", "-wal"}, [&](auto suffix) {
        std::error_code error;
        const auto size = std::filesystem::file_size(companion(file, suffix), error);
        return !error && size + kLargestWrite >= limit.rlim_cur;
    });
}

Error errorOf(sqlite3* handle, const std::filesystem::path& file)
{
    const std::string name = targetOf(file).string();
    const std::string why = handle != nullptr ? sqlite3_errmsg(handle) : "out of memory";
    const int systemError = handle != nullptr ? sqlite3_system_errno(handle) : 0;
    const int code = handle != nullptr ? sqlite3_errcode(handle) & 0xFF : SQLITE_NOMEM;
    switch (code == SQLITE_IOERR && systemError == ENOSPC ? SQLITE_FULL : code) {
    case SQLITE_FULL:
        return {Error::Code::Io,
                fmt::format("no space left on the disk of {}: free some, then run again", name)};
    case SQLITE_IOERR:
        if (reachesSizeLimit(file))
            return {Error::Code::Io,
                    fmt::format("{} reached the largest size of a file (ulimit -f): raise it, then "
                                "run again",
                                name)};
        return {Error::Code::Io,
                fmt::format("the disk of {} failed ({}): try another folder", name,
                            systemError != 0 ? std::generic_category().message(systemError) : why)};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return {Error::Code::Io, fmt::format("cannot open {} ({}): check its folder", name, why)};
    case SQLITE_NOMEM:
        if (mostMemory() <= kHardHeapLimit) // the system refused it
            return {
                Error::Code::Io,
                fmt::format("out of memory for {}: close other programs, then run again", name)};
        return {Error::Code::Corrupt,
                fmt::format("{} needs more than {} MiB to be read, so it is damaged: use another "
                            "copy or record the run again",
                            name, kHardHeapLimit >> 20)};
    case SQLITE_INTERRUPT:
        return {Error::Code::Corrupt,
                fmt::format("{} takes too long to read for its size, so it is damaged: use another "
                            "copy or record the run again",
                            name)};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {Error::Code::Locked,
                fmt::format("another program has locked {}: close it and try again", name)};
    case SQLITE_NOTADB:
        return {Error::Code::Corrupt, fmt::format("{} is not a SQLite file", name)};
    default:
        return damagedFile(file, why);
    }
}

} // namespace

std::string_view Statement::text(int column) const
{
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_handle.get(), column));
    const int size = sqlite3_column_bytes(m_handle.get(), column);
    return bytes == nullptr ? std::string_view()
                            : std::string_view(bytes, static_cast<std::size_t>(size));
}

double Statement::real(int column) const
{
    return isText(column) ? std::numeric_limits<double>::quiet_NaN()
                          : sqlite3_column_double(m_handle.get(), column);
}

Error Statement::error() const
{
    return errorOf(sqlite3_db_handle(m_handle.get()), *m_file);
}

Result<void> Statement::runBound()
{
    const bool isDone = sqlite3_step(m_handle.get()) == SQLITE_DONE;
    if (sqlite3_reset(m_handle.get()) != SQLITE_OK || !isDone)
        return tl::unexpected(error());
    return {};
}

void Statement::set(int index, double value)
{
    if (std::isnan(value))
        set(index, "nan");
    else
        sqlite3_bind_double(m_handle.get(), index, value);
}

void Statement::set(int index, std::string_view value)
{
    // A null pointer would store NULL instead of an empty text.
    const char* bytes = value.data() == nullptr ? "" : value.data();
    sqlite3_bind_text64(m_handle.get(), index, bytes, value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

Result<Database> Database::open(const std::filesystem::path& file, Access access,
                                std::chrono::milliseconds lockWait)
{
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE;
    if (access == Access::Create)
        flags |= SQLITE_OPEN_CREATE;
    Database database;
    database.m_file = std::make_unique<const std::filesystem::path>(file);
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(uri(file, query(access)).c_str(), &handle, flags, nullptr);
    database.m_handle.reset(handle);
    if (code != SQLITE_OK)
        return tl::unexpected(errorOf(handle, file));
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, static_cast<int>(lockWait.count()));
    return database;
}

void Database::limitWork()
{
    sqlite3_soft_heap_limit64(kSoftHeapLimit);
    sqlite3_hard_heap_limit64(kHardHeapLimit);
    mostMemory(true);
    double bytes = 0;
    for (const std::string_view suffix : {"", "-wal"}) {
        std::error_code error;
        const auto size = std::filesystem::file_size(companion(file(), suffix), error);
        bytes += error ? 0 : static_cast<double>(size);
    }
    m_stepsLeft = std::make_unique<double>(kFewestSteps + kStepsOfByte * bytes);
    const auto spend = [](void* left) {
        auto& steps = *static_cast<double*>(left);
        steps -= kStepsBetweenChecks;
        return steps < 0 ? 1 : 0;
    };
    sqlite3_progress_handler(m_handle.get(), kStepsBetweenChecks, spend, m_stepsLeft.get());
}

Result<void> Database::execute(const std::string& sql)
{
    if (sqlite3_exec(m_handle.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return tl::unexpected(error());
    return {};
}

Result<Statement> Database::prepare(std::string_view sql)
{
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v2(m_handle.get(), sql.data(), static_cast<int>(sql.size()),
                                        &handle, nullptr);
    Statement statement(handle, file());
    if (code != SQLITE_OK)
        return tl::unexpected(error());
    return statement;
}

Result<std::int64_t> Database::integer(std::string_view sql)
{
    auto statement = TRY(prepare(sql));
    const std::int64_t value = statement.next() ? statement.integer(0) : 0;
    if (statement.failed())
        return tl::unexpected(error());
    return value;
}

Result<std::string> Database::text(std::string_view sql)
{
    auto statement = TRY(prepare(sql));
    const std::string value = statement.next() ? std::string(statement.text(0)) : std::string();
    if (statement.failed())
        return tl::unexpected(error());
    return value;
}

Error Database::error() const
{
    return errorOf(m_handle.get(), file());
}

Error Database::damaged(std::string_view what) const
{
    return damagedFile(file(), what);
}

} // namespace profiler
