#pragma once

#include "app/documents/run_library.h"
#include "app/import/trace_importer.h"
#include "app/shell/page.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <memory>

class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace app {

class EmptyState;
class ImportReportView;
class RulesPane;
class RunSaver;
class RunsDock;

// The progress of an import: the file, the rate and the time left, and a button to cancel it.
class ImportProgressView : public QWidget
{
    Q_OBJECT

public:
    explicit ImportProgressView(QWidget* parent = nullptr);
    void show(const ImportState& state);

Q_SIGNALS:
    void cancelRequested();

private:
    QLabel *m_title, *m_file, *m_numbers;
    QProgressBar* m_bar;
};

// Imports traces and shows the progress, then the report of the imported run. Also shows the report
// of a run that was imported earlier.
class ImportPage : public Page
{
    Q_OBJECT

public:
    // Starts to import the traces of one job, given as files or folders. `rules` are the user's
    // rules as TOML; "": none.
    ImportPage(const ThemeController& theme, RunLibrary& library, const QStringList& traces,
               const QString& rules = {}, QWidget* parent = nullptr);
    // Shows the report of a run that was imported earlier.
    ImportPage(const ThemeController& theme, RunLibrary& library,
               std::shared_ptr<RunDocument> document, QWidget* parent = nullptr);

    QString title() const override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    // Asks before rules are lost that were typed and not saved.
    bool queryClose() override;
    const RunDocument* document() const override
    {
        return m_document.get();
    } // nullptr: not imported yet

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; // watches the width of the report

private:
    ImportPage(const ThemeController& theme, RunLibrary& library, QWidget* parent);
    QWidget* makeReportPart(const ThemeController& theme);
    void makeActions();
    void showRules(bool shown);
    bool saveRules(); // returns false if the user cancelled or the file cannot be written
    void setDocument(std::shared_ptr<RunDocument> document);
    void showDocument();
    void showFailure(const QString& reason);

    const ThemeController& m_theme;
    RunLibrary& m_library;
    QString m_name, m_rulesText; // name of the traces; the user's rules
    QString m_keptRules;         // as last saved, or the initial ones
    QStringList m_traces;        // empty if the run was imported earlier
    TraceImporter m_importer;
    std::shared_ptr<RunDocument> m_document;
    QStackedWidget* m_stack;
    ImportProgressView* m_progress;
    EmptyState* m_failed;
    RunsDock* m_runs;
    ImportReportView* m_report;
    QLabel *m_heading, *m_unchanged;
    QPushButton* m_open;
    QAction *m_editRules, *m_saveReport;
    RulesPane* m_pane = nullptr; // created on first use
    QSplitter* m_columns = nullptr;
    RunSaver* m_saver;
};

} // namespace app
