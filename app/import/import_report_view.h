#pragma once

#include "app/documents/run_document.h"
#include "app/import/import_facts.h"
#include "app/timeline/view/view_preparation.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "engine/timeline/run.h"

#include <QWidget>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QBoxLayout;
class QFrame;
class QHBoxLayout;

namespace app {

class Band;
class DataTable;
class ElidedLabel;
class SchedulePreview;

// A row of the coverage: a rule of the classifier, or the time that no rule matched.
struct CoverageRow
{
    engine::ImportReport::Rule rule;
    double share = 0; // share of all time
    bool isClassified = true;
};

// Table of the rules of an import, in the order of coverageParts().
class CoverageModel : public TableModel<CoverageRow>
{
    Q_OBJECT

public:
    explicit CoverageModel(QObject* parent = nullptr);
    void show(const engine::ImportReport& report);

private:
    Columns columns() const;

    Scale m_time;
};

// A kernel or op that a rule matches, with the texts that are shown.
struct ImportMatch
{
    engine::ImportReport::Match match;
    QString label, op;  // short name of the match; name of the op to which it belongs
    int iteration = -1; // number of the iteration; -1 if it is in none
    std::optional<std::int64_t> begin; // ns since the start of the iteration
};

// Table of the matches of one rule, longest first. Matches whose indices are not valid in the run
// are left out.
class MatchesModel : public TableModel<ImportMatch>
{
    Q_OBJECT

public:
    static constexpr int kIteration = 3, kAt = 4; // numbers of columns

    explicit MatchesModel(QObject* parent = nullptr);
    // `rule` is the name of a rule, or "" for the kernels and ops that no rule matches. `run` must
    // be an imported run.
    void show(const engine::Run& run, const std::string& rule);
    void clear() { reset({}, {}); }

private:
    static Columns columns(const engine::RunInfo& info, std::int64_t longest, std::int64_t last);
};

// Table of what the import left out of the run.
class LeftOutModel : public TableModel<engine::ImportReport::LeftOut>
{
    Q_OBJECT

public:
    explicit LeftOutModel(QObject* parent = nullptr);
    void show(const engine::ImportReport& report);
};

// Table of the clocks of the hosts, relative to the clock of the first rank's host, which has no
// row.
class ClocksModel : public TableModel<engine::ImportReport::Clock>
{
    Q_OBJECT

public:
    explicit ClocksModel(QObject* parent = nullptr);
    void show(const engine::ImportReport& report);
};

// Parts of the import report: a section has a title, a hint at its right, and cells below a line.

inline const QMargins kSectionPadding(14, 10, 14, 12);
inline constexpr int kReportRow = 26, kTallestTable = 260; // longer tables scroll

QLabel* makePlainLabel(const QString& text, const char* role); // for texts that come from files
QLabel* makeSectionHint(const QString& text);                  // hidden in a narrow window
QWidget* makeSection(QLabel* title, QLabel* hint, std::initializer_list<Cell> cells);
// A text in place of a table without rows.
QLabel* makeEmptyText(const QString& text);
// Shows the table with as many rows as fit into `tallest` pixels, or `empty` if it has none.
void showRows(DataTable& table, QLabel& empty, int tallest = kTallestTable);

// The share of imported time by rule, as a bar. A click or the left and right keys select a part.
class CoverageBar : public ThemedWidget
{
    Q_OBJECT

public:
    explicit CoverageBar(const ThemeController& theme, QWidget* parent = nullptr);

    void show(std::vector<CoveragePart> parts);
    void setCurrent(int part); // -1: none; emits no signal
    int current() const { return m_current; }
    QRect box(int part) const; // rectangle of a part, for tests

Q_SIGNALS:
    void chosen(int part);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    void choose(int part);
    int partAt(int x) const;
    QString textOf(const CoveragePart& part) const;
    void paintPart(QPainter& painter, int part) const;

    std::vector<CoveragePart> m_parts;
    int m_current = -1;
};

// The kernels or ops that a rule of an import matches, longest first.
class MatchesView : public QWidget
{
    Q_OBJECT

public:
    explicit MatchesView(const ThemeController& theme, QWidget* parent = nullptr);

    // Shows the matches of a rule, or what matches no rule if `rule` is the unclassified time.
    // nullptr: no rule is selected. `run` must be an imported run.
    void show(const engine::Run& run, const CoverageRow* rule);
    const MatchesModel& model() const { return *m_model; }
    const engine::ImportReport::Match* current() const; // nullptr: none is selected

Q_SIGNALS:
    void currentChanged();
    void openRequested(); // the user opens the current match

private:
    MatchesModel* m_model;
    ElidedLabel* m_title;
    DataTable* m_table;
    QLabel *m_empty, *m_count;
};

// The ranks of an import as chips; a rank without a trace has a dashed frame. Shows as many as fit
// in two rows, then the number of the others.
class RankChips : public ThemedWidget
{
    Q_OBJECT

public:
    explicit RankChips(const ThemeController& theme, QWidget* parent = nullptr);

    void show(std::vector<RankFact> ranks);
    QSize sizeHint() const override;
    int fitting() const; // number of chips that fit

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    void fit();
    int columns() const;
    QRect box(int rank) const;
    void paintChip(QPainter& painter, const QRect& area, const RankFact& rank) const;

    std::vector<RankFact> m_ranks;
    int m_fullWidth = 0; // in pixels; fits the longest note
    int m_chipWidth = 0; // in pixels, as drawn
};

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
