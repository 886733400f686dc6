#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "profiler/store/query.h"

#include <QPlainTextEdit>
#include <QString>
#include <QTreeWidget>

#include <atomic>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;

namespace app {

class Band;
class DataTable;

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

// A read-only SQL console for the file of a run, with the tables at the left and the query above
// its rows. A new query cancels the running one; the page never waits for a query.
class QueryPage : public Page
{
    Q_OBJECT

public:
    QueryPage(const ThemeController& theme, RunLibrary& library,
              std::shared_ptr<RunDocument> document, QWidget* parent = nullptr);
    ~QueryPage() override;

    QString title() const override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    const RunDocument* document() const override { return m_document.get(); }
    QJsonObject state() const override;
    void restoreState(const QJsonObject& state) override;
    QString query() const;               // the text in the editor
    void setQuery(const QString& query); // runs it if it differs from query()

private:
    QWidget* makeTables();
    QWidget* makeQuery();
    void makeActions();
    void connectAll();
    void readSchema(); // does nothing if it is known
    void run();
    void showResult(profiler::QueryResult result);
    void showFailure(const QString& reason);
    void showRunning(bool isRunning);
    void copy();

    const ThemeController& m_theme;
    std::shared_ptr<RunDocument> m_document;
    Background m_background{this};
    std::shared_ptr<std::atomic<bool>> m_isCancelled; // of the running query; nullptr: none runs
    TableModel<QueryRow> m_model;
    SchemaTree* m_schema;
    QueryEditor* m_editor;
    DataTable* m_table;
    Band* m_band;
    QComboBox* m_recipes;
    QLabel* m_summary;
    QAction *m_run, *m_stop, *m_copy;
};

} // namespace app
