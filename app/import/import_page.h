#pragma once

#include "app/documents/run_document.h"
#include "app/documents/run_library.h"
#include "app/import/trace_importer.h"
#include "app/shell/page.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/latest.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "engine/timeline/import_report.h"
#include "profiler/import/rules.h"

#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QBoxLayout;
class QGridLayout;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QVBoxLayout;

namespace app {

class Band;
class DataTable;
class EmptyState;
class RunSaver;
class RunsDock;
class SchedulePreview;
class SegmentControl;

// A kernel or op that a rule matches, with the texts that are shown.
struct ImportMatch
{
    engine::ImportReport::Match match;
    QString label{}, op{};          // short name of the match; name of the op to which it belongs
    std::optional<int> iteration{}; // number of the iteration
    std::optional<std::int64_t> begin{}; // ns since the start of the iteration
};

// Returns the matches of a rule ("": of no rule), longest first. Leaves out those whose indices are
// not valid in `run`, an imported run.
std::vector<ImportMatch> importMatches(const engine::Run& run, const std::string& rule);
std::vector<TableColumn<ImportMatch>> matchColumns(const engine::RunInfo& info,
                                                   const std::vector<ImportMatch>& matches);
QString coverageTitle(const engine::ImportReport& report); // "97.4 % of GPU time classified"

// The report of an import: sources and ranks, coverage by rule with the matches of the selected
// rule, clocks, replay check, what was left out, and an iteration in which the matches are
// outlined.
class ImportReportView : public QWidget
{
    Q_OBJECT

public:
    explicit ImportReportView(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunPointer& run); // `run` must be an imported run

Q_SIGNALS:
    // The user opens a match in its run. `match` is valid until the next show().
    void openRequested(const engine::ImportReport::Match& match);

protected:
    void keyPressEvent(QKeyEvent* event) override; // Esc deselects the rule
    void resizeEvent(QResizeEvent* event) override;

private:
    using Report = engine::ImportReport;
    // A rank of the job, and where its trace is from; without a file it is missing.
    struct RankRow
    {
        int rank = 0;
        QString place{}, file{};
    };

    QWidget* makeSection(QWidget* title, const QString& hint,
                         std::initializer_list<QWidget*> parts);
    void showFacts();
    void showTables();
    void showReplay();
    const Report::Rule* rule() const; // the selected row; nullptr: none
    const Report::Match* match() const;
    void showMatches(); // lists the matches of the selected rule
    void showMarks();   // outlines the listed matches in the preview

    const ThemeController& m_theme;
    RunPointer m_run; // the shown run; null before the first
    ViewPreparation m_views{this};
    // A rule without a confidence is the time that no rule matches.
    TableModel<Report::Rule> m_rules;
    TableModel<ImportMatch> m_matches;
    TableModel<RankRow> m_ranks;
    TableModel<Report::Clock> m_clocks;
    TableModel<Report::LeftOut> m_leftOut;
    DataTable *m_rulesTable, *m_matchesTable, *m_ranksTable, *m_clocksTable, *m_leftOutTable;
    QGridLayout* m_facts;
    QBoxLayout *m_rulesRow, *m_factsRow;
    QVBoxLayout* m_warnings;
    QLabel *m_coverage, *m_coverageNumbers, *m_matchesTitle, *m_noMatches, *m_matchesCount,
        *m_rankSummary, *m_previewHint;
    Band* m_replay;
    SchedulePreview* m_preview;
};

// The user's rules, with the coverage that they would give, next to the built-in rules, which are
// read-only.
class RulesPane : public QWidget
{
    Q_OBJECT

public:
    // `sources`: the traces of the import that still exist; `of`: the number of imported traces.
    RulesPane(const ThemeController& theme, const QStringList& sources, int of,
              QWidget* parent = nullptr);

    QString rules() const; // the user's rules as TOML
    void setRules(const QString& toml);

Q_SIGNALS:
    void saveRequested(const QString& toml);
    void importRequested(const QString& toml);
    void closeRequested();

private:
    QWidget* makeEditors();
    QWidget* makeCoverage();
    void ask();
    void markLine(int line); // below 1: marks no line
    void showCoverage();

    // What rules classify. The traces are imported again, without writing a run, and only some of
    // them if reading all would take long.
    struct Preview
    {
        QString sample{}; // "all 4 traces", "rank0.json, 1 of 8 traces"
        std::optional<engine::ImportReport> before{}, after{}; // without and with the user's rules
        QString failure{};
    };
    struct Traces // kept between previews
    {
        QStringList sources;
        std::vector<std::filesystem::path> files{};
        Preview last{};
    };
    static Preview preview(Traces& traces, const std::string& toml,
                           const std::atomic<bool>& isDropped);
    static QString selectFiles(Traces& traces); // returns why none can be read
    void take(const Preview& preview);

    // The share of time that a rule classifies. A row without a name is the time that no rule
    // matches.
    struct Row
    {
        QString name, title;
        double before = 0, after = 0;
        std::int64_t matches = 0; // with the user's rules
    };

    const ThemeController& m_theme;
    std::shared_ptr<Traces> m_traces;
    std::optional<engine::ImportReport> m_before, m_after;
    QTimer m_pause;
    Latest<std::string, Preview> m_previews;
    TableModel<Row> m_model;
    SegmentControl* m_choice;
    QStackedWidget* m_texts;
    QPlainTextEdit *m_own, *m_shipped;
    Band* m_band;
    QLabel *m_sample, *m_state;
    DataTable* m_table;
    QPushButton *m_save, *m_import;
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
    QWidget* makeProgress();
    void showProgress(const ImportState& state);
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
    QLabel *m_progressTitle, *m_progressFile, *m_progressNumbers;
    QProgressBar* m_progressBar;
    QPushButton* m_cancel;
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
