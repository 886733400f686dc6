#pragma once

#include "engine/base/try.h"
#include "profiler/store/sqlite.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// A table of a run's file consists of a row type, a kTableOf and a function columns(), which names
// each column and the field of the row that the column stores. CREATE TABLE, INSERT, SELECT and the
// tables of run-files.md are derived from these.
//
//     struct SpanRow { std::int64_t begin = 0, end = 0; };
//     template<> inline constexpr TableText kTableOf<SpanRow>{"BS_span", kEveryRun, "Spans"};
//     void columns(SpanRow& row, auto&& column)
//     {
//         column({"begin", kInteger, "tick", "when the op begins"}, row.begin);
//         column({"end", kInteger, "tick", "when it ends"}, row.end);
//     }

namespace profiler {

inline constexpr std::string_view kId = "INTEGER NOT NULL PRIMARY KEY",
                                  kInteger = "INTEGER NOT NULL", kMaybeInteger = "INTEGER",
                                  kText = "TEXT NOT NULL", kMaybeText = "TEXT", kMaybeReal = "REAL";

struct TableText
{
    // `where` states which runs have the table; `holds` states what it contains.
    std::string_view name, where, holds;
};
template<class Row>
inline constexpr TableText kTableOf{};

struct ColumnText // a column without a field is NULL in new rows
{
    std::string_view name, type, unit = {}, meaning = {};
};

// nsight() adds columns of Nsight Systems; names and fields alternate in the arguments. A field of
// type Unused stores NULL. The documentation of Nsight Systems describes the columns.
struct Unused
{
    std::string_view type;
};
inline constexpr Unused kUnused{kMaybeInteger}, kUnusedText{kMaybeText}, kUnusedReal{kMaybeReal};

void nsight(auto&& /*column*/) { }
void nsight(auto&& column, std::string_view name, auto&& field, auto&&... more)
{
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::same_as<Field, Unused>)
        column({name, field.type});
    else
        column({name, std::same_as<Field, std::string> ? kMaybeText : kMaybeInteger}, field);
    nsight(column, more...);
}

// Adapters for columns whose stored value differs from the field. take() returns false if the
// stored value is invalid.

template<class T>
struct OrNull
{
    T& value;
    T none;

    void put(Statement& statement, int index) const
    {
        statement.set(index, value == none ? std::nullopt : std::optional(value));
    }
    bool take(const Statement& row, int column) const
    {
        value = none;
        return row.get(column, value);
    }
};
template<class T> // stores NULL if `value` is `none`
OrNull<T> orNull(T& value, std::type_identity_t<T> none)
{
    return {value, none};
}

template<class Enum, class Name, class Named>
struct Spelled
{
    Enum& value;
    Name name;   // converts Enum to string
    Named named; // converts string to optional Enum

    void put(Statement& statement, int index) const { statement.set(index, name(value)); }
    bool take(const Statement& row, int column) const
    {
        const auto stored = named(row.text(column));
        value = stored ? *stored : value;
        return stored.has_value();
    }
};
template<class Enum, class Name, class Named>
Spelled(Enum&, Name, Named) -> Spelled<Enum, Name, Named>;

struct Zero // a column of Nsight Systems that is always 0 here
{
    void put(Statement& statement, int index) const { statement.set(index, 0); }
    bool take(const Statement& /*row*/, int /*column*/) const { return true; }
};
inline constexpr Zero kZero{};

struct Count // a count, clamped to [0, largest number] when read
{
    int& value;

    void put(Statement& statement, int index) const { statement.set(index, value); }
    bool take(const Statement& row, int column) const
    {
        constexpr std::int64_t kMost = std::numeric_limits<int>::max();
        value = static_cast<int>(std::clamp<std::int64_t>(row.integer(column), 0, kMost));
        return true;
    }
};

void put(Statement& statement, int index, const auto& field)
{
    if constexpr (requires { field.put(statement, index); })
        field.put(statement, index);
    else
        statement.set(index, field);
}
bool take(const Statement& row, int column, auto&& field)
{
    if constexpr (requires { field.take(row, column); })
        return field.take(row, column);
    else
        return row.get(column, field);
}

// A table whose rows are tuples of plain values. `names` has the names of the columns: "id name".
struct PlainText
{
    TableText table;
    // `first` is the type of the first column.
    std::string_view names, first = kMaybeInteger;
};
template<const PlainText& Text, class... Values>
struct Plain
{
    std::tuple<Values...> values;
    Plain() = default;
    Plain(Values... all) // NOLINT: rows are written as {1, "name"}
        : values(std::move(all)...)
    { }
};
template<const PlainText& Text, class... Values>
inline constexpr TableText kTableOf<Plain<Text, Values...>> = Text.table;
template<const PlainText& Text, class... Values>
void columns(Plain<Text, Values...>& row, auto&& column)
{
    std::string_view names = Text.names, type = Text.first;
    const auto add = [&](auto& value) {
        const std::size_t end = std::min(names.find(' '), names.size());
        const bool isText = std::same_as<std::remove_cvref_t<decltype(value)>, std::string>;
        column({names.substr(0, end), isText ? kMaybeText : std::exchange(type, kMaybeInteger)},
               value);
        names.remove_prefix(std::min(end + 1, names.size()));
    };
    std::apply([&](auto&... values) { (add(values), ...); }, row.values);
}

// What is done with the columns of a row. It has no template parameters, so that the columns() of a
// table is compiled once for everything that is done with the table.
class ColumnSink
{
public:
    void operator()(const ColumnText& column) { add(column, nullptr); }
    template<class Field>
    void operator()(const ColumnText& column, Field&& value)
    {
        using Value = std::remove_reference_t<Field>;
        const Stored stored{const_cast<void*>(static_cast<const void*>(&value)),
                            [](void* field, Statement& statement, int index) {
                                put(statement, index, *static_cast<const Value*>(field));
                            },
                            [](void* field, const Statement& row, int index) {
                                return take(row, index, *static_cast<Value*>(field));
                            }};
        add(column, &stored);
    }

protected:
    // A field of the row, or an adapter that refers to one.
    struct Stored
    {
        void* field;
        void (*put)(void* field, Statement& statement, int index);
        bool (*take)(void* field, const Statement& row, int index);
    };
    virtual void add(const ColumnText& column, const Stored* stored) = 0; // nullptr: no field
    ~ColumnSink() = default;
};

// A row of any table.
struct RowRef
{
    void* row;
    void (*columns)(void* row, ColumnSink& sink);
    const TableText& table;
};
template<class Row>
RowRef refTo(Row& row)
{
    return {&row, [](void* of, ColumnSink& sink) { columns(*static_cast<Row*>(of), sink); },
            kTableOf<Row>};
}

// Quotes "end", which is an SQL keyword. Other names are not quoted, because SQLite reads a quoted
// unknown name as a string.
std::string quoted(std::string_view column);
std::vector<ColumnText> columnsOf(const RowRef& row);
// The columns that have a field, quoted for SQL.
std::vector<std::string> namesOf(const RowRef& row, std::string_view prefix = {});
engine::Result<void> createTable(Database& database, const RowRef& row);
engine::Result<Statement> prepareInsert(Database& database, std::string_view verb,
                                        const RowRef& row);
void put(Statement& statement, const RowRef& row);
// Reads the current row of `statement`, whose first columns are those of namesOf(). Returns false
// if a value does not fit into the field.
bool fill(const Statement& statement, const RowRef& row);

template<class Row>
std::vector<ColumnText> columnsOf()
{
    Row row{};
    return columnsOf(refTo(row));
}
template<class Row>
std::vector<std::string> namesOf(std::string_view prefix = {})
{
    Row row{};
    return namesOf(refTo(row), prefix);
}
template<class Row>
engine::Result<void> createTable(Database& database)
{
    Row row{};
    return createTable(database, refTo(row));
}

engine::Result<bool> hasTable(Database& database, std::string_view table);

// Writes rows into one table. The first one prepares the statement.
template<class Row>
class Insert
{
public:
    explicit Insert(Database& database, std::string_view verb = "INSERT")
        : m_database(&database)
        , m_verb(verb)
    { }

    engine::Result<void> run(Row row)
    {
        if (!m_statement)
            m_statement = TRY(prepareInsert(*m_database, m_verb, refTo(row)));
        put(*m_statement, refTo(row));
        return m_statement->run();
    }

private:
    Database* m_database;
    std::string_view m_verb;
    std::optional<Statement> m_statement;
};

template<class Row>
engine::Result<void> writeRows(Database& database, const std::vector<Row>& rows,
                               std::string_view verb = "INSERT")
{
    Insert<Row> insert(database, verb);
    for (const Row& row : rows)
        TRY(insert.run(row));
    return {};
}

// Writes rows to a table, and creates the table with its first row.
template<class Row>
engine::Result<void> addRows(Database& database, const std::vector<Row>& rows)
{
    if (rows.empty())
        return {};
    TRY(createTable<Row>(database));
    return writeRows(database, rows, "INSERT OR IGNORE");
}

// Calls `use(row, statement)` for each row. Fails with Error::Code::Corrupt if `use` returns false;
// the message states the row's id or number.
template<class Row, class Use>
engine::Result<void> readRows(Database& database, Statement& statement, Use use)
{
    const bool hasId = columnsOf<Row>().front().name == "id";
    std::int64_t number = 0;
    return statement.forEach([&](const Statement& values) -> engine::Result<void> {
        Row row{};
        if (!fill(values, refTo(row)) || !use(row, values))
            return tl::unexpected(database.damaged(
                fmt::format("{}, row {}", kTableOf<Row>.name, hasId ? values.integer(0) : number)));
        ++number;
        return {};
    });
}

// Calls `use(row)` for the rows that the SQL text `rest` selects: "WHERE id > ?1 ORDER BY id".
// `values` are bound to its parameters.
template<class Row, class Use, class... Values>
engine::Result<void> forEachRow(Database& database, std::string_view rest, Use use,
                                const Values&... values)
{
    auto statement = TRY(database.prepare(fmt::format(
        "SELECT {} FROM {} {}", fmt::join(namesOf<Row>(), ", "), kTableOf<Row>.name, rest)));
    statement.bind(values...);
    return readRows<Row>(database, statement, [&](Row& row, const Statement&) { return use(row); });
}

// Like forEachRow(), for a table that only some runs have.
template<class Row, class Use, class... Values>
engine::Result<void> forEachRowIfAny(Database& database, std::string_view rest, Use use,
                                     const Values&... values)
{
    const auto exists = TRY(hasTable(database, kTableOf<Row>.name));
    return exists ? forEachRow<Row>(database, rest, use, values...) : engine::Result<void>();
}

template<class Row>
engine::Result<void> readOnlyRow(Database& database, Row& row)
{
    bool isThere = false;
    TRY(forEachRow<Row>(database, "LIMIT 1", [&](Row& only) {
        row = std::move(only);
        return isThere = true;
    }));
    if (!isThere)
        return tl::unexpected(database.damaged(fmt::format("{} has no row", kTableOf<Row>.name)));
    return {};
}

} // namespace profiler
