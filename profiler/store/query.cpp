#include "profiler/store/query.h"

#include "engine/base/try.h"
#include "profiler/store/open_file.h"
#include "profiler/store/schema.h"
#include "resources/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace profiler {

using namespace engine;

namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kOnlySelect = "only SELECT is possible here, because runs are not changed";
// The number of instructions of SQLite's virtual machine between two calls of Watch::asked(). So
// many instructions take a fraction of a millisecond.
constexpr int kStepsBetweenQuestions = 10'000;

struct Watch
{
    Clock::time_point end;
    const std::function<bool()>* isCancelled = nullptr;
    bool wasCancelled = false, isLate = false;

    static int asked(void* context)
    {
        auto& watch = *static_cast<Watch*>(context);
        watch.wasCancelled = *watch.isCancelled && (*watch.isCancelled)();
        watch.isLate = Clock::now() > watch.end;
        return watch.wasCancelled || watch.isLate ? 1 : 0;
    }
};

// Allows only actions that read. For any other action it sets `refused`, because SQLite reports
// "not authorized" without a reason.
// NOLINTNEXTLINE(readability-function-size): the parameters are SQLite's
int authorize(void* refused, int action, const char*, const char* name, const char*, const char*)
{
    const bool isRead = action == SQLITE_SELECT || action == SQLITE_READ
        || action == SQLITE_RECURSIVE
        || (action == SQLITE_FUNCTION && std::string_view(name) != "load_extension");
    if (isRead)
        return SQLITE_OK;
    *static_cast<bool*>(refused) = true;
    return SQLITE_DENY;
}

// "line 2: "; "" if the text has only one line.
std::string placeIn(std::string_view sql, int offset)
{
    if (offset < 0 || sql.find('\n') == std::string_view::npos)
        return {};
    const auto before = sql.substr(0, static_cast<std::size_t>(offset));
    return fmt::format("line {}: ", 1 + std::ranges::count(before, '\n'));
}

// Skips blanks, comments and semicolons at the start of the text.
std::string_view withoutBlanks(std::string_view text)
{
    for (;;) {
        while (
            !text.empty()
            && (std::isspace(static_cast<unsigned char>(text.front())) != 0 || text.front() == ';'))
            text.remove_prefix(1);
        std::size_t end = 0;
        if (text.starts_with("--"))
            end = text.find('\n');
        else if (text.starts_with("/*"))
            end = std::min(text.find("*/", 2), text.size() - 2) + 2;
        else
            return text;
        text.remove_prefix(std::min(end, text.size()));
    }
}

class Query
{
public:
    Query(Database& database, const QueryLimits& limits, const std::function<bool()>& isCancelled)
        : m_database(database)
        , m_limits(limits)
        , m_watch{Clock::now() + limits.time, &isCancelled}
    {
        sqlite3_progress_handler(database.handle(), kStepsBetweenQuestions, &Watch::asked,
                                 &m_watch);
        sqlite3_set_authorizer(database.handle(), &authorize, &m_isRefused);
    }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query()
    {
        sqlite3_progress_handler(m_database.handle(), 0, nullptr, nullptr);
        sqlite3_set_authorizer(m_database.handle(), nullptr, nullptr);
    }

    Result<QueryResult> run(std::string_view sql)
    {
        if (withoutBlanks(sql).empty())
            return invalid("the query is empty; enter a SELECT");
        sqlite3_stmt* handle = nullptr;
        const char* rest = nullptr;
        const int code = sqlite3_prepare_v2(m_database.handle(), sql.data(),
                                            static_cast<int>(sql.size()), &handle, &rest);
        const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(handle,
                                                                              &sqlite3_finalize);
        if (code != SQLITE_OK)
            return tl::unexpected(failure(sql));
        if (sqlite3_stmt_readonly(handle) == 0)
            return invalid(kOnlySelect);
        const auto done = static_cast<std::size_t>(rest - sql.data());
        if (!withoutBlanks(sql.substr(done)).empty())
            return invalid(placeIn(sql, static_cast<int>(done))
                           + "only one statement can be run; remove what comes after the first ;");
        return read(statement.get(), sql);
    }

private:
    Result<QueryResult> read(sqlite3_stmt* statement, std::string_view sql)
    {
        QueryResult result;
        const int columns = sqlite3_column_count(statement);
        for (int column = 0; column < columns; ++column)
            result.columns.emplace_back(sqlite3_column_name(statement, column));
        std::int64_t bytes = 0;
        int code = sqlite3_step(statement);
        for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
            if (std::ssize(result.rows) == m_limits.rows || bytes >= m_limits.bytes) {
                result.isCut = true;
                return result;
            }
            auto& row = result.rows.emplace_back();
            for (int column = 0; column < columns; ++column)
                row.push_back(value(statement, column, bytes));
        }
        if (code != SQLITE_DONE)
            return tl::unexpected(failure(sql));
        return result;
    }

    static QueryValue value(sqlite3_stmt* statement, int column, std::int64_t& bytes)
    {
        bytes += sizeof(QueryValue);
        switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            return static_cast<std::int64_t>(sqlite3_column_int64(statement, column));
        case SQLITE_FLOAT:
            return sqlite3_column_double(statement, column);
        case SQLITE_NULL:
            return std::monostate();
        default:
            break;
        }
        const bool isBlob = sqlite3_column_type(statement, column) == SQLITE_BLOB;
        const auto* data = static_cast<const unsigned char*>(
            isBlob ? sqlite3_column_blob(statement, column)
                   : static_cast<const void*>(sqlite3_column_text(statement, column)));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        bytes += static_cast<std::int64_t>(size) * (isBlob ? 2 : 1);
        if (!isBlob)
            return std::string(data, data + size);
        std::string hex = "x'";
        for (std::size_t i = 0; i < size; ++i)
            hex += fmt::format("{:02x}", data[i]);
        return hex + '\'';
    }

    Error failure(std::string_view sql) const
    {
        if (m_watch.wasCancelled)
            return {Error::Code::Cancelled, "the query was stopped"};
        if (m_watch.isLate)
            return {Error::Code::InvalidArgument,
                    fmt::format(
                        "the query takes longer than {} s; select fewer rows with WHERE or "
                        "LIMIT",
                        std::chrono::duration_cast<std::chrono::seconds>(m_limits.time).count())};
        if (m_isRefused)
            return {Error::Code::InvalidArgument, kOnlySelect};
        const int code = m_database.code() & 0xFF;
        if (code == SQLITE_NOMEM)
            return {Error::Code::InvalidArgument,
                    "the query needs too much memory; select fewer rows with WHERE or LIMIT"};
        if (code != SQLITE_ERROR && code != SQLITE_TOOBIG && code != SQLITE_MISMATCH)
            return m_database.error();
        return {Error::Code::InvalidArgument,
                placeIn(sql, sqlite3_error_offset(m_database.handle()))
                    + sqlite3_errmsg(m_database.handle())};
    }

    Database& m_database;
    QueryLimits m_limits;
    Watch m_watch;
    bool m_isRefused = false;
};
} // namespace

Result<QueryResult> runQuery(const std::filesystem::path& file, std::string_view sql,
                             const QueryLimits& limits, const std::function<bool()>& isCancelled)
{
    const auto begin = Clock::now();
    auto open = TRY(openFile(file));
    auto result = Query(open.database, limits, isCancelled).run(sql);
    if (result)
        result->seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return result;
}

Result<std::vector<SchemaTable>> schemaOf(const std::filesystem::path& file)
{
    auto open = TRY(openFile(file));
    std::vector<SchemaTable> tables;
    for (const TableDescription& table : allTables()) {
        const auto has = TRY(hasTable(open.database, table.text.name));
        if (!has)
            continue;
        SchemaTable& shown = tables.emplace_back();
        shown.name = table.text.name;
        shown.holds = table.text.holds;
        for (const ColumnText& column : table.columns)
            shown.columns.push_back({column.name, column.type, column.unit, column.meaning});
    }
    return tables;
}

std::string_view sqliteVersion()
{
    return sqlite3_libversion();
}

std::vector<Recipe> queryRecipes()
{
    std::vector<Recipe> recipes;
    std::string_view text = resources::find("help/recipes.sql");
    while (text.starts_with("-- ")) {
        const std::size_t line = text.find('\n'), end = text.find("\n\n");
        recipes.push_back({text.substr(3, line - 3),
                           text.substr(line + 1, std::min(end, text.size()) - line - 1)});
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    }
    return recipes;
}

} // namespace profiler
