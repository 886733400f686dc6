#include "profiler/store/ledger/ledger.h"

#include "engine/base/try.h"
#include "profiler/store/table.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace profiler {

using namespace engine;

template<>
inline constexpr TableText kTableOf<LedgerRow>{"run", "the ledger", "Runs"};
void columns(LedgerRow& row, auto&& column)
{
    constexpr std::string_view kAdded = "TEXT NOT NULL DEFAULT ''"; // by the user
    column({"file", "TEXT PRIMARY KEY"}, row.file);
    column({"size", kInteger}, row.size);
    column({"modified", kInteger}, row.modified);
    column({"facts", kText}, row.facts);
    column({"picture", kText}, row.picture);
    column({"name", kAdded}, row.name);
    column({"note", kAdded}, row.note);
    column({"tags", kAdded}, row.tags);
    column({"origin", kAdded}, row.origin);
    column({"number", "INTEGER NOT NULL DEFAULT 0"}, row.number);
}

namespace {

constexpr int kLedgerVersion = 2;

constexpr const char* kTables
    = "CREATE TABLE IF NOT EXISTS counter (last INTEGER NOT NULL);"
      "CREATE TABLE IF NOT EXISTS reserved (number INTEGER PRIMARY KEY);"
      "CREATE TABLE IF NOT EXISTS queued (process INTEGER NOT NULL, position INTEGER "
      "NOT NULL, options TEXT NOT NULL, PRIMARY KEY (process, position))";

} // namespace

Ledger::Ledger(std::unique_ptr<Database> database)
    : m_database(std::move(database))
{ }

Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Result<Ledger> Ledger::open(const std::filesystem::path& file)
{
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error)
        return fail(Error::Code::Io, "{}: {}; set XDG_DATA_HOME to a writable folder",
                    file.parent_path().string(), error.message());
    auto opened = TRY(Database::open(file, Database::Access::Create));
    auto database = std::make_unique<Database>(std::move(opened));
    const auto version = database->integer("PRAGMA user_version");
    if (!version || (*version != 0 && *version != kLedgerVersion))
        return fail(Error::Code::Corrupt,
                    "{} is not a list of runs of this version ({}); move it away, "
                    "then the program lists the runs again",
                    file.string(),
                    version ? fmt::format("version {}", *version) : version.error().message);
    Ledger ledger(std::move(database));
    auto prepared = ledger.inTransaction([&ledger]() -> Result<void> {
        Database& of = *ledger.m_database;
        TRY(createTable<LedgerRow>(of));
        TRY(of.execute(kTables));
        TRY(of.execute(
            "INSERT INTO counter SELECT (SELECT ifnull(max(number), 0) FROM run) WHERE NOT EXISTS "
            "(SELECT 1 FROM counter); "
            "DELETE FROM counter WHERE rowid > (SELECT min(rowid) FROM counter)"));
        return of.execute(fmt::format("PRAGMA user_version = {}", kLedgerVersion));
    });
    return prepared.map([&] { return std::move(ledger); });
}

Result<std::vector<LedgerRow>> Ledger::rows()
{
    std::vector<LedgerRow> rows;
    TRY(forEachRow<LedgerRow>(*m_database, "ORDER BY file", [&](LedgerRow& row) {
        rows.push_back(std::move(row));
        return true;
    }));
    return rows;
}

Result<void> Ledger::inTransaction(const std::function<Result<void>()>& work)
{
    auto done = m_database->execute("BEGIN IMMEDIATE").and_then(work).and_then([&] {
        return m_database->execute("COMMIT");
    });
    if (!done)
        (void)m_database->execute("ROLLBACK"); // fails if there is no transaction
    return done;
}

Result<std::int64_t> Ledger::lastNumber()
{
    return m_database->integer("SELECT last FROM counter");
}

Result<Ledger::Numbers> Ledger::numbers()
{
    Numbers numbers;
    numbers.last = TRY(lastNumber());
    TRY(m_database->forEach("SELECT file, number FROM run", [&](const Statement& row) {
        row.get(1, numbers.byFile[std::string(row.text(0))]);
    }));
    return numbers;
}

// Numbers between the last one and an expected one are reserved: their runs, which this window
// numbered earlier, may end later.
Result<void> Ledger::putContents(const LedgerRow& row)
{
    return inTransaction([&]() -> Result<void> {
        TRY(m_database->run(
            "INSERT INTO run (file, size, modified, facts, picture, number) SELECT ?1, ?2, "
            "?3, ?4, ?5, iif(?6 IN reserved, ?6, max(last + 1, ?6)) FROM counter WHERE true "
            "ON CONFLICT (file) DO UPDATE SET size = ?2, modified = ?3, facts = ?4, picture "
            "= ?5",
            row.file, row.size, row.modified, row.facts, row.picture, row.number));
        TRY(m_database->execute(
            "DELETE FROM reserved WHERE number IN (SELECT number FROM run); "
            "WITH RECURSIVE skipped (number) AS (SELECT max(last) + 1 FROM counter UNION ALL "
            "SELECT number + 1 FROM skipped WHERE number < (SELECT ifnull(max(number), 0) FROM "
            "run)) INSERT INTO reserved SELECT number FROM skipped WHERE number < (SELECT "
            "ifnull(max(number), 0) FROM run)"));
        return m_database->execute(
            "UPDATE counter SET last = max(last, (SELECT ifnull(max(number), 0) FROM run))");
    });
}

Result<void> Ledger::putUserData(const LedgerRow& before, const LedgerRow& row)
{
    return m_database->run(
        "UPDATE run SET name = iif(?2 = ?5, name, ?2), note = iif(?3 = ?6, note, ?3), "
        "tags = iif(?4 = ?7, tags, ?4) WHERE file = ?1",
        row.file, row.name, row.note, row.tags, before.name, before.note, before.tags);
}

Result<void> Ledger::move(const std::string& from, const std::string& to, const std::string& origin)
{
    return m_database->run("UPDATE OR REPLACE run SET file = ?2, origin = ?3 WHERE file = ?1", from,
                           to, origin);
}

Result<void> Ledger::remove(const std::string& file)
{
    return m_database->run("DELETE FROM run WHERE file = ?1", file);
}

Result<void> Ledger::setQueue(std::int64_t process, const std::vector<std::string>& options)
{
    return inTransaction([&]() -> Result<void> {
        TRY(m_database->run("DELETE FROM queued WHERE process = ?1", process));
        for (std::size_t i = 0; i < options.size(); ++i)
            TRY(m_database->run("INSERT INTO queued VALUES (?1, ?2, ?3)", process, i, options[i]));
        return {};
    });
}

Result<std::vector<std::string>>
Ledger::takeQueues(const std::function<bool(std::int64_t process)>& exists)
{
    std::vector<std::string> all;
    std::set<std::int64_t> ended;
    auto done = inTransaction([&]() -> Result<void> {
        TRY(m_database->forEach("SELECT process, options FROM queued ORDER BY process, position",
                                [&](const Statement& row) {
                                    if (exists(row.integer(0)))
                                        return;
                                    ended.insert(row.integer(0));
                                    all.emplace_back(row.text(1));
                                }));
        for (const std::int64_t process : ended)
            TRY(m_database->run("DELETE FROM queued WHERE process = ?1", process));
        return {};
    });
    return done.map([&] { return all; });
}

} // namespace profiler
