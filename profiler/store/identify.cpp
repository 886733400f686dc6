#include "profiler/store/identify.h"

#include "engine/base/try.h"
#include "profiler/store/schema.h"
#include "profiler/store/table.h"
#include "profiler/store/trace_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;
namespace fs = std::filesystem;

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
        return fail(Error::Code::Corrupt,
                    fmt::format("{} is damaged: use another copy of it", name));
    if (*nsight > 0)
        return fail(Error::Code::Unsupported,
                    fmt::format("{} is an Nsight Systems export, not a Bubblescope run: {}", name,
                                kImportIt));
    TRY(refuseStudyResults(database, name));
    if (tables->empty())
        return fail(Error::Code::Unsupported,
                    fmt::format("{} is an empty SQLite file, not a Bubblescope run", name));
    return fail(
        Error::Code::Unsupported,
        fmt::format(
            "{} is a SQLite file of another program (with tables {}), not a Bubblescope run", name,
            *tables));
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
                fmt::format("{} has the {}, but runs have no views, triggers, virtual tables or "
                            "generated columns: another program has changed it; use another copy",
                            name, found));
}

// Returns the size of the file according to its SQLite header; 0 if the header does not state it.
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
constexpr std::array<Signature, 8> kSignatures{{
    {"{", "a JSON file", true},
    {"[", "a JSON file", true},
    {"\x1F\x8B", "a gzip file", true},
    {"PK\x03\x04", "a zip file", true},
    {"\x28\xB5\x2F\xFD", "a Zstandard file", true},
    {"\xFD\x37zXZ", "an xz file", true},
    {"BZh", "a bzip2 file", true},
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

// "60 bytes", "58.6 KiB", "1.2 MiB"
std::string sizeText(std::uintmax_t bytes)
{
    const auto kibibytes = static_cast<double>(bytes) / 1024;
    return bytes < 1024       ? fmt::format("{} bytes", bytes)
        : kibibytes < 1023.95 ? fmt::format("{:.1f} KiB", kibibytes)
                              : fmt::format("{:.1f} MiB", kibibytes / 1024);
}

} // namespace

Result<void> identify(Database& database, const fs::path& file)
{
    const std::string name = file.string();
    const auto application = TRY(database.integer("PRAGMA application_id"));
    const auto format = TRY(database.integer("PRAGMA user_version"));
    if (application != kApplicationId)
        return ofAnotherProgram(database, name);
    if (format != kFormat)
        return fail(Error::Code::Unsupported,
                    fmt::format("{} has file format {}, this Bubblescope reads format {}: open it "
                                "with the Bubblescope that recorded it, or record the run again",
                                name, format, kFormat));
    return refuseCode(database, name);
}

Result<void> refuseStudyResults(Database& database, const std::string& name)
{
    for (const char* table : {"study", "results"})
        if (!hasTable(database, table).value_or(false))
            return {};
    return fail(
        Error::Code::Unsupported,
        fmt::format("{} has the results of a study, not a run: open report.html beside it", name));
}

Error whatItIs(const fs::path& file, int code)
{
    const std::string name = file.string();
    const std::string header = headerOf(file);
    std::error_code ignored;
    const std::uintmax_t size = fs::file_size(file, ignored);
    if (header.starts_with(kSqlite)) {
        if (header.size() < kHeader || size < promisedSize(header))
            return {Error::Code::Corrupt,
                    fmt::format("{} is truncated to {}: copy it again", name, sizeText(size))};
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

} // namespace profiler
