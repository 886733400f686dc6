#pragma once

#include "app/documents/run_library.h"
#include "app/query/query_runner.h"
#include "app/shell/page.h"
#include "app/ui/theme.h"

#include <memory>

class QComboBox;
class QLabel;

namespace app {

class Band;
class DataTable;
class QueryEditor;
class QueryModel;
class SchemaTree;

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
