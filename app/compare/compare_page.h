#pragma once

#include "app/compare/compare_numbers.h"
#include "app/compare/run_parameters.h"
#include "app/documents/run_document.h"
#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/timeline/view/selection.h"
#include "app/timeline/view/view_preparation.h"
#include "app/ui/latest.h"
#include "app/ui/theme.h"
#include "profiler/analysis/ranking/ranking.h"

#include <QCoreApplication>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <utility>
#include <vector>

class QLabel;
class QPushButton;
class QComboBox;
class QSplitter;
class QStackedWidget;

namespace app {

class Tag;
class Band;
class CompareWidget;
class ComparisonPanels;
class DetailsPanel;
class EmptyState;
class RunsDock;
class RunsModel;
class SegmentControl;
class RunSaver;

// The actions of a comparison, by menu.
class CompareActions
{
    Q_DECLARE_TR_FUNCTIONS(CompareActions)

public:
    CompareActions(const ThemeController& theme, Page& page); // `page` owns the actions

    QList<QAction*> of(Menu menu) const;

    QAction *back, *forward, *fit, *addRun, *exportFigure, *report, *predict, *parameters;
    QAction *showRuns, *showDetails, *ghost;
    struct Rank
    {
        QAction* action;
        profiler::RankBy by;
    };
    std::vector<Rank> ranks;
};

// The first line of a comparison: the settings that are equal in all runs, and those that differ. A
// button opens the table of all settings.
class CompareSummary : public QWidget
{
    Q_OBJECT

public:
    explicit CompareSummary(const ThemeController& theme, QWidget* parent = nullptr);

    // `mode` is the mode of all runs; "" if it differs.
    void show(const std::vector<RunParameter>& parameters, const QString& mode);
    using QWidget::show;
    // A note at the right: "3 of 27 runs are complete"; "": none.
    void setNote(const QString& note);
    QString text() const;

Q_SIGNALS:
    void allRequested();

private:
    QLabel *m_text, *m_note;
    Tag* m_mode;
    QPushButton* m_all;
};

// The layout of the comparison page: the runs, the toolbar, the differences, the lanes above the
// tables, and the details. It hides parts if the window is small. The page creates the content of
// the parts.
class CompareFrame : public QWidget
{
    Q_OBJECT

public:
    CompareFrame(const ThemeController& theme, const CompareActions& actions, RunsModel& runs);

    enum Part { Empty, Rows };
    void showPart(Part part);
    // Divides the height between lanes and tables unless the user moved the splitter. The tables
    // get their content's height, more if the lanes leave it unused, and at most half.
    void distributeHeight();
    // Shows the controls for a ranking of many runs (true) or for a few runs (false).
    void setCompact(bool isCompact);
    void fold(int width); // hides docks that do not fit beside the lanes
    void openDetails();   // opens the dock of details if it has enough space
    void showUnfinished(int complete, int unfinished); // numbers of ticked runs
    void showNotes(const profiler::Comparison& comparison);

    RunsDock* dock;
    CompareSummary* summary;
    Band *band, *refused; // refused: names the files that are not runs
    QComboBox* baseline;
    SegmentControl *sort, *lane, *align;
    CompareWidget* compare;
    ComparisonPanels* tables;
    DetailsPanel* details;
    EmptyState* empty;
    QWidget* single; // shown if one run is compared

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeToolbar();
    QWidget* makeCentre();
    QWidget* makeSingle();
    QWidget* makeDetails(const ThemeController& theme);
    void updateToolbar();

    CompareActions m_actions;
    QStackedWidget* m_stack;
    QSplitter* m_rows;
    QWidget* m_detailsDock;
    QWidget* m_bar = nullptr; // the toolbar
    // The parts of the toolbar that updateToolbar() shows or hides. m_icons replace m_buttons. The
    // first elements of m_labels and m_icons are hidden first.
    QList<QWidget*> m_tallOnly, m_compactOnly, m_labels, m_buttons, m_icons;
    bool m_hasRoomForRuns = true, m_areRowsChosen = false; // m_areRowsChosen: the user moved m_rows
    bool m_isCompact = false;
};

// The runs that the user has ticked to compare them. Only the complete ones can be compared.
struct TickedRuns
{
    explicit TickedRuns(const std::vector<std::shared_ptr<RunDocument>>& ticked);

    // The runs that are finished and were read completely. A part of a run is not comparable.
    std::vector<std::shared_ptr<RunDocument>> complete;
    QStringList refused; // for each file that could not be opened, the reason
    int unfinished = 0;  // runs that are growing, being read or queued
};

// The runs of a comparison, in their order. One of them is the baseline, and one is the current
// run. The baseline is the user's choice, or else the first 1F1B run, or else the first run.
class ComparedRuns
{
public:
    // Replaces the compared runs. Returns false if these runs are already compared.
    bool take(std::vector<std::shared_ptr<RunDocument>> documents);
    void chooseBaseline(std::size_t run);
    void choose(std::size_t run) { m_current = m_documents[run]; }

    std::size_t size() const { return m_runs.size(); }
    // Returns false for a run that was removed: tables, lanes and open menus may still show it.
    bool has(int run) const { return run >= 0 && std::cmp_less(run, size()); }
    const std::vector<std::shared_ptr<RunDocument>>& documents() const { return m_documents; }
    const std::vector<RunPointer>& runs() const { return m_runs; }
    std::vector<RunPointer> baselineFirst() const; // the order of figures and reports
    std::size_t baseline() const { return m_baseline; }
    const engine::RunInfo& baselineInfo() const { return m_runs[m_baseline]->info; }
    int current() const; // -1: none
    QStringList titles() const;
    QString commonMode() const; // "" if the runs have different modes

private:
    std::vector<std::shared_ptr<RunDocument>> m_documents;
    std::vector<RunPointer> m_runs; // one per document
    std::size_t m_baseline = 0;
    // The user's choices of baseline and current run; nullptr: none.
    std::shared_ptr<RunDocument> m_chosen, m_current;
    bool m_isTaken = false;
};

// Shows the ticked runs with a common ruler, their differences from a baseline, and how each run
// spends its time. Five or more runs are ranked. Runs are ticked in the dock of any page.
class ComparePage : public Page
{
    Q_OBJECT

public:
    // Ticks `documents` and unticks all other runs.
    ComparePage(const ThemeController& theme, RunLibrary& library,
                const std::vector<std::shared_ptr<RunDocument>>& documents,
                QWidget* parent = nullptr);

    void tick(const std::vector<std::shared_ptr<RunDocument>>& documents); // unticks all others
    void showRequest(const PageRequest& request) override { tick(request.runs); }
    QString title() const override
    {
        return m_compared.size() == 1 ? tr("Compare 1 run")
                                      : tr("Compare %1 runs").arg(m_compared.size());
    }
    QStringList files() const override
    {
        QStringList files;
        for (const auto& document : m_compared.documents())
            files.append(document->file());
        return files;
    }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override { return m_actions.of(menu); }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void connectActions();
    void connectAll();
    void connectLanes();

    void refresh(); // call it after the ticked runs or their data changed
    void showRuns();
    void askForNumbers();
    struct Compared
    {
        std::vector<RunPointer> runs;
        std::size_t baseline = 0;
        QStringList titles;
    };
    static engine::Result<CompareNumbers> computeNumbers(const Compared& request);
    void takeNumbers(engine::Result<CompareNumbers> numbers);
    void showNumbers(); // does nothing until both the numbers and the views are known
    void rankBy(profiler::RankBy by);
    void fillBaselines();
    void setBaseline(int run);
    void choose(int run);
    void explain(int run, const Selection& selection); // shows the selected item in the details
    void showParameters();
    void addPrediction();
    void addRunMenu();

    const ThemeController& m_theme;
    RunLibrary& m_library;
    Background m_background{this};
    Latest<Compared, engine::Result<CompareNumbers>> m_asked{
        this, [](const Compared& request, const auto&) { return computeNumbers(request); },
        [this](engine::Result<CompareNumbers> numbers) { takeNumbers(std::move(numbers)); }};
    ViewPreparation m_views;
    ComparedRuns m_compared;
    std::vector<RunParameter> m_parameters;
    CompareNumbersPointer m_numbers; // nullptr: being computed
    profiler::RankBy m_rankBy = profiler::RankBy::Iteration;
    profiler::RankOrder m_direction = profiler::RankOrder::BestFirst;
    QTimer m_refresh;        // delays refresh(), so that ticking many runs causes one update
    bool m_hasViews = false; // whether the lanes show m_compared
    int m_explained = -1;    // run that the details describe; -1: none

    CompareActions m_actions;
    RunSaver* m_saver;
    CompareFrame* m_frame = nullptr;
};

} // namespace app
