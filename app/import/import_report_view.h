#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/view_preparation.h"
#include "app/ui/theme.h"

#include <QWidget>

class QBoxLayout;
class QFrame;
class QHBoxLayout;
class QLabel;

namespace app {

class Band;
class ClocksModel;
class CoverageBar;
class CoverageModel;
class DataTable;
class LeftOutModel;
class MatchesView;
class RankChips;
class SchedulePreview;

// The report of an import: sources, coverage by rule with the matches of the selected rule, clocks,
// replay check, what was left out, and an iteration in which the matches are outlined.
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
    QWidget* makeTop();
    QWidget* makeCoverage();
    QWidget* makeClocks();
    QWidget* makeReplay();
    QWidget* makeLeftOut();
    QWidget* makePreview();
    void fitParts(); // wraps, moves or hides parts of the report in a narrow window
    void showFacts(const engine::Run& run);
    void showReplay(const engine::Run& run);
    void showTables(const engine::ImportReport& report);
    void showPreview();
    int firstRule() const;    // the row that is selected first; -1: the table has no rows
    void selectRule(int row); // -1: none
    void showMatches();       // lists the matches of the selected rule
    void showMarks();         // outlines the listed matches in the preview

    const ThemeController& m_theme;
    RunPointer m_run; // the shown run; null before the first
    ViewPreparation m_views;
    CoverageModel* m_rules;
    LeftOutModel* m_leftOut;
    ClocksModel* m_clocks;
    QWidget* m_facts;
    QBoxLayout* m_top = nullptr;      // the facts and the ranks
    QFrame* m_ranksLine = nullptr;    // above the ranks in a narrow window
    QBoxLayout* m_rulesRow = nullptr; // the rules and their matches
    // Lines between the rules and their matches: m_matchesLine in a wide window, m_matchesTop in a
    // narrow one.
    QFrame *m_matchesLine = nullptr, *m_matchesTop = nullptr;
    QHBoxLayout* m_thirds = nullptr; // replay, clocks, omitted records
    RankChips* m_ranks;
    QLabel *m_rankSummary, *m_clocksHint, *m_coverageTitle, *m_coverageNumbers, *m_noRules;
    CoverageBar* m_bar;
    DataTable* m_rulesTable;
    MatchesView* m_matches;
    DataTable *m_clocksTable, *m_leftOutTable;
    QLabel *m_noClocks, *m_noLeftOut;
    QWidget* m_structure; // facts about the pipeline, one per row
    Band* m_replay;
    QWidget* m_warnings;
    SchedulePreview* m_preview;
    QLabel* m_previewHint;
};

} // namespace app
