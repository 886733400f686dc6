#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "profiler/store/query.h"

#include <QPlainTextEdit>
#include <QTreeWidget>

#include <memory>
#include <vector>

namespace app {

// The text of a query. Keywords are bold; string literals and comments are muted. Tab moves the
// focus.
class QueryEditor : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit QueryEditor(const ThemeController& theme, QWidget* parent = nullptr);

    // Inserts at the cursor, separated from the word before it.
    void insertName(const QString& name);
    void replaceAll(const QString& sql); // can be undone
};

// A table of the rows of a query, as SQLite returned them. NULL is shown as "NULL" in the colour of
// hints. Long texts are cut.
using QueryRow = std::vector<profiler::QueryValue>;
std::vector<TableColumn<QueryRow>> queryColumns(const profiler::QueryResult& result);
// Header and rows with the full values as CSV; NULL is an empty cell.
QString queryCsv(const TableModel<QueryRow>& model);

// The tables of a run and their columns, with a description of each.
class SchemaTree : public QTreeWidget
{
    Q_OBJECT

public:
    explicit SchemaTree(QWidget* parent = nullptr);

    void show(const std::vector<profiler::SchemaTable>& tables);
    using QTreeWidget::show;
    // Keeps the tables and columns whose name or description contains `text`.
    void filter(const QString& text);

Q_SIGNALS:
    // A table or column was chosen; its name is quoted if necessary.
    void chosen(const QString& name);
    void described(const QString& text); // description of the current table or column
};

// The page with a read-only SQL console for the file of a run, with the tables at the left and the
// query above its rows. A new query cancels the running one; the page never waits for a query.
Page* makeQuery(const ThemeController& theme, RunLibrary& library,
                const std::shared_ptr<RunDocument>& document);

} // namespace app
