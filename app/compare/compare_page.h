#pragma once

#include "app/compare/comparison_panels.h"
#include "app/documents/run_document.h"
#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"
#include "profiler/analysis/ranking.h"

#include <QStringList>
#include <QTimer>

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
class IntervalMark;
class DetailsPanel;
class EmptyState;
class RunsDock;
class SegmentControl;
class RunSaver;

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
    RunNames names() const;
    QString commonMode() const; // "" if the runs have different modes

private:
    std::vector<std::shared_ptr<RunDocument>> m_documents;
    std::vector<RunPointer> m_runs; // one per document
    std::size_t m_baseline = 0;
    // The user's choices of baseline and current run; nullptr: none.
    std::shared_ptr<RunDocument> m_chosen, m_current;
    bool m_isTaken = false;
};

// Shows runs with a common ruler, their differences from a baseline, and how each run spends its
// time: the verdict, the toolbar, the lanes above the tables, and the details. Five or more runs
// are ranked. Several comparisons can be open: each has its own runs, and the ticks of the dock are
// those of the page that is visible. The page hides parts if the window is small, because the lanes
// need the width.
class ComparePage : public Page
{
    Q_OBJECT

public:
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
    QStringList files() const override // also of runs that are still being read
    {
        QStringList files;
        for (const auto& document : m_ticked)
            files.append(document->file());
        return files;
    }
    bool shows(const std::vector<std::shared_ptr<RunDocument>>& runs) const override
    {
        return std::ranges::is_permutation(runs, m_ticked);
    }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeActions();
    void layOut();
    QWidget* makeVerdict();
    QWidget* makeSummary();
    QWidget* makeToolbar();
    QWidget* makeCentre();
    QWidget* makeDetails();
    // Divides the height between lanes and tables unless the user moved the splitter. The tables
    // get their content's height, more if the lanes leave it unused, and at most half.
    void distributeHeight();
    void applyStyle(); // call it after the style of the rows changed
    void updateToolbar();
    void showSummary();
    void showUnfinished(int complete, int unfinished); // numbers of ticked runs
    void showVerdict();
    void showTimes(); // whether all runs can have the op times of the baseline
    void showFailure(const QString& bold, const engine::Error& error);
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
        bool haveOneTime = false; // all runs have the op times of the baseline
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
    std::vector<std::shared_ptr<RunDocument>> m_ticked; // by the user, on this page
    std::vector<RunPointer> m_shown; // of the lanes: m_compared, or replayed with other op times
    QTimer m_refresh;        // delays refresh(), so that ticking many runs causes one update
    bool m_hasViews = false; // whether the lanes show m_shown
    int m_explained = -1;    // run that the details describe; -1: none

    QAction *m_back, *m_forward, *m_fit, *m_addRun, *m_export, *m_report, *m_predict,
        *m_showParameters, *m_showRuns, *m_showDetails, *m_ghost, *m_sameTimes, *m_copy;
    QList<QAction*> m_ranks; // that sort the runs
    RunSaver* m_saver;
    RunsDock* m_dock;
    QLabel *m_same, *m_note; // settings that are the same or differ; unfinished runs
    Tag* m_mode;
    QPushButton* m_allParameters;
    QWidget* m_summary = nullptr;
    Band *m_band, *m_refused;     // m_refused: names the files that are not runs
    IntervalMark* m_interval;     // of the verdict
    QWidget* m_verdict = nullptr; // m_band and m_interval
    QComboBox* m_baseline;
    SegmentControl *m_sort, *m_lane, *m_align, *m_times;
    CompareWidget* m_lanes;
    ComparisonPanels* m_tables;
    DetailsPanel* m_details;
    EmptyState* m_empty;
    QWidget* m_single = nullptr; // shown if one run is compared
    QStackedWidget* m_stack;     // m_empty, m_rows
    QSplitter* m_rows;
    QWidget* m_bar = nullptr; // the toolbar
    // The parts of the toolbar that updateToolbar() shows or hides. m_icons replace m_buttons. The
    // first elements of m_labels and m_icons are hidden first.
    QList<QWidget*> m_tallOnly, m_compactOnly, m_labels, m_buttons, m_icons;
    bool m_areRowsChosen = false; // by the user, who moved m_rows
};

} // namespace app
