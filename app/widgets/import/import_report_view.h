#pragma once

#include "app/models/run_document.h"
#include "app/models/theme.h"

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
class RankChips;

// The report of an import: sources, coverage by rule, clocks, replay check, and what was left out.
class ImportReportView : public QWidget
{
    Q_OBJECT

public:
    explicit ImportReportView(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const engine::Run& run); // `run` must be an imported run

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeTop();
    QWidget* makeCoverage();
    QWidget* makeClocks();
    QWidget* makeReplay();
    QWidget* makeLeftOut();
    void fitParts(); // wraps, moves or hides some in a narrow window
    void showFacts(const engine::Run& run);
    void showReplay(const engine::Run& run);
    void showTables(const engine::ImportReport& report);

    const ThemeController& m_theme;
    CoverageModel* m_rules;
    LeftOutModel* m_leftOut;
    ClocksModel* m_clocks;
    QWidget* m_facts;
    QBoxLayout* m_top = nullptr;     // the facts and the ranks
    QFrame* m_ranksLine = nullptr;   // above the ranks in a narrow window
    QHBoxLayout* m_thirds = nullptr; // replay, clocks, what was left out
    RankChips* m_ranks;
    QLabel *m_rankSummary, *m_clocksHint, *m_coverageTitle, *m_coverageNumbers, *m_noRules;
    CoverageBar* m_bar;
    DataTable *m_rulesTable, *m_clocksTable, *m_leftOutTable;
    QLabel *m_noClocks, *m_noLeftOut;
    QWidget* m_structure; // facts about the pipeline, one per row
    Band* m_replay;
    QWidget* m_warnings;
};

} // namespace app
