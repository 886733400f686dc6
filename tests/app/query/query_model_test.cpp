#include "app/query/query_page.h"
#include "app/ui/data_table.h"
#include "tests/catch.h"

#include <QAbstractItemModelTester>

namespace app {
namespace {

void show(TableModel<QueryRow>& model)
{
    profiler::QueryResult result;
    result.columns = {"name", "time"};
    result.rows = {{std::string("2F0, \"a\""), std::int64_t{12}},
                   {std::monostate(), std::monostate()},
                   {std::string(500, 'x'), 0.1}};
    model.reset(queryColumns(result), result.rows);
}

} // namespace

TEST_CASE("rows of a query are shown as SQLite returned them")
{
    TableModel<QueryRow> model;
    const QAbstractItemModelTester tester(&model);
    CHECK(model.rowCount() == 0);
    show(model);
    CHECK(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString()
          == QStringLiteral("time"));
    CHECK(model.index(0, 1).data().toString() == QStringLiteral("12"));
    CHECK(model.index(2, 1).data().toString() == QStringLiteral("0.1"));
    CHECK(model.index(1, 0).data().toString() == QStringLiteral("NULL"));
    CHECK(model.index(1, 0).data(kHintRole).toBool());
    CHECK(model.index(2, 0).data().toString().size() == 121); // cut, with an ellipsis
    const auto align = [&](int column) {
        return model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole)
            .value<Qt::Alignment>();
    };
    CHECK(align(0).testFlag(Qt::AlignLeft));
    CHECK(align(1).testFlag(Qt::AlignRight));
}

TEST_CASE("a copy has the full values, and NULL is empty")
{
    TableModel<QueryRow> model;
    show(model);
    const QStringList lines = queryCsv(model).split(QLatin1Char('\n'));
    CHECK(lines.at(0) == QStringLiteral("name,time"));
    CHECK(lines.at(1) == QStringLiteral("\"2F0, \"\"a\"\"\",12"));
    CHECK(lines.at(2) == QStringLiteral(","));
    CHECK(lines.at(3) == QString(500, QLatin1Char('x')) + QStringLiteral(",0.1"));
}

} // namespace app
