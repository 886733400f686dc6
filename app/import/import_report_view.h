#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/view_preparation.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <optional>

class QBoxLayout;
class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace app {

class Band;
class DataTable;
class SchedulePreview;

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

} // namespace app
