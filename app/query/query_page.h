#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"
#include "profiler/store/query.h"

#include <QAbstractTableModel>
#include <QObject>
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

// Runs queries on a run's file in the thread pool, one at a time. A new query cancels the running
// one. GUI thread only; the destructor cancels without waiting.
class QueryRunner : public QObject
{
    Q_OBJECT

public:
    using Result = std::shared_ptr<const profiler::QueryResult>;
    using Schema = std::vector<profiler::SchemaTable>;

    QueryRunner(QString file, QObject* parent);
    ~QueryRunner() override;

    void start(const QString& sql, const profiler::QueryLimits& limits = {});
    void cancel();
    bool isRunning() const { return m_isRunning; }
    void readSchema(); // emits schemaRead() or failed()

Q_SIGNALS:
    void finished(const app::QueryRunner::Result& result);
    void failed(const QString& reason); // also emitted for a cancelled query
    void schemaRead(const app::QueryRunner::Schema& schema);

private:
    QString m_file;
    std::shared_ptr<std::atomic<bool>> m_isCancelled; // cancels the running query
    int m_number = 0;                                 // number of the last query
    bool m_isRunning = false;
    Background m_background;
};

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

// The rows of a query, as SQLite returned them. NULL is shown as "NULL" in the colour of hints.
// Long texts are cut; copied cells have the full values.
class QueryModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void show(std::shared_ptr<const profiler::QueryResult> result); // nullptr: no rows
    const profiler::QueryResult* result() const { return m_result.get(); }
    QString csv() const; // header and rows; NULL is an empty cell

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    bool isOfNumbers(int column) const;

    std::shared_ptr<const profiler::QueryResult> m_result;
};

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
// its rows.
class QueryPage : public Page
{
    Q_OBJECT

public:
    QueryPage(const ThemeController& theme, RunLibrary& library,
              std::shared_ptr<RunDocument> document, QWidget* parent = nullptr);

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
    void showResult(const QueryRunner::Result& result);
    void showFailure(const QString& reason);
    void showRunning(bool isRunning);
    void copy();

    const ThemeController& m_theme;
    std::shared_ptr<RunDocument> m_document;
    QueryRunner m_runner;
    QueryModel* m_model;
    SchemaTree* m_schema;
    QueryEditor* m_editor;
    DataTable* m_table;
    Band* m_band;
    QComboBox* m_recipes;
    QLabel* m_summary;
    QAction *m_run, *m_stop, *m_copy;
};

} // namespace app
