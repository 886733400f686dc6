#include "profiler/store/table.h"

namespace profiler {
namespace {

using namespace engine;

template<class Use>
class EachColumn final : public ColumnSink
{
public:
    EachColumn(const RowRef& row, Use use)
        : m_use(std::move(use))
    {
        row.columns(row.row, *this);
    }

private:
    void add(const ColumnText& column, const Stored* stored) override { m_use(column, stored); }

    Use m_use;
};

} // namespace

std::string quoted(std::string_view column)
{
    return column == "end" ? "\"end\"" : std::string(column);
}

std::vector<ColumnText> columnsOf(const RowRef& row)
{
    std::vector<ColumnText> all;
    EachColumn(row, [&](const ColumnText& column, const auto*) { all.push_back(column); });
    return all;
}

std::vector<std::string> namesOf(const RowRef& row, std::string_view prefix)
{
    std::vector<std::string> names;
    EachColumn(row, [&](const ColumnText& column, const auto* stored) {
        if (stored != nullptr)
            names.push_back(fmt::format("{}{}", prefix, quoted(column.name)));
    });
    return names;
}

Result<void> createTable(Database& database, const RowRef& row)
{
    std::vector<std::string> parts;
    EachColumn(row, [&](const ColumnText& column, const auto*) {
        parts.push_back(fmt::format("{} {}", quoted(column.name), column.type));
    });
    return database.execute(
        fmt::format("CREATE TABLE IF NOT EXISTS {} ({})", row.table.name, fmt::join(parts, ", ")));
}

Result<Statement> prepareInsert(Database& database, std::string_view verb, const RowRef& row)
{
    const auto names = namesOf(row);
    const std::vector<std::string_view> marks(names.size(), "?");
    return database.prepare(fmt::format("{} INTO {} ({}) VALUES ({})", verb, row.table.name,
                                        fmt::join(names, ", "), fmt::join(marks, ", ")));
}

void put(Statement& statement, const RowRef& row)
{
    int index = 0;
    EachColumn(row, [&](const ColumnText&, const auto* stored) {
        if (stored != nullptr)
            stored->put(stored->field, statement, ++index);
    });
}

bool fill(const Statement& statement, const RowRef& row)
{
    int index = 0;
    bool fits = true;
    EachColumn(row, [&](const ColumnText&, const auto* stored) {
        if (stored != nullptr)
            fits = stored->take(stored->field, statement, index++) && fits;
    });
    return fits;
}

} // namespace profiler
