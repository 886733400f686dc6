#pragma once

#include "app/documents/run_library.h"
#include "app/run/run_actions.h"
#include "app/run/run_state_view.h"
#include "app/run/run_tables.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/latest.h"
#include "app/ui/theme.h"
#include "profiler/analysis/metrics.h"

#include <QTimer>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QMenu;
class QSplitter;

namespace app {

class AnswerStrip;
class DetailsPanel;
class FindBar;
class RunPanels;
class RunSaver;
class RunsDock;
class RunToolbar;
class SelectionPopover;
class TimelineWidget;
class WhyPanel;

// One run, from the start of its worker to the complete file: timeline, details, tables, loss, log.
// The page connects its parts, which do not know each other. Its layout hides parts if the window
// is small: a narrow page folds the details first, then the list of runs; a low page folds the
// tables. A part that the user opened stays open until the size class of the page changes.
class RunPage : public Page
{
    Q_OBJECT

public:
    RunPage(const ThemeController& theme, RunLibrary& library,
            std::shared_ptr<RunDocument> document, QWidget* parent = nullptr);

    QString title() const override { return m_document->title(); }
    QString file() const override { return m_document->file(); }
    bool queryClose() override;
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override { return m_actions.of(menu); }
    std::vector<std::vector<engine::Note>> notes() const override;
    int exportedIteration() const override;
    std::optional<engine::Window> exportedRange() const override;
    QList<QAction*> foundActions(const QString& text) override;
    const RunDocument* document() const override { return m_document.get(); }
    void showRequest(const PageRequest& request) override;

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    // The layout.
    QWidget* makeCentre();
    QWidget* makeDetails();
    QWidget* makeFooter();
    void showWhy(bool isShown); // in place of the details
    void showFooter();

    // Connections between the parts.
    void connectActions();
    void connectFind();
    void connectNotes();
    void connectRange();
    void connectTimeline();
    void connectLook();
    void connectLanes();
    void connectDocument();

    // What is computed in the background. Each question delivers only the answer to its newest
    // request, because a run that grows asks faster than it is answered.
    struct IterationRequest
    {
        RunPointer run;
        int iteration = -1;
        std::size_t first = 0; // row of the table of iterations that was not delivered yet
    };
    struct IterationAnswer : IterationRequest
    {
        engine::Result<profiler::RunMetrics> metrics;
        std::vector<IterationRow> rows;
    };
    using RangeRequest = std::pair<RunPointer, engine::Window>;
    using RangeAnswer = std::pair<RunPointer, engine::Result<profiler::RangeMetrics>>;
    using KernelRequest = std::pair<RunPointer, std::string>; // run and file
    // The kernels are empty if nothing was recorded, and nullptr if they are unknown, for a reason.
    using Kernels = std::pair<KernelViewPointer, QString>;
    void showAnswer(const IterationAnswer& answer);
    void showRange(const RangeAnswer& answer);
    // Predicts an iteration from the measured ops (profiler/whatif/own_replay.h) or, before the
    // first iteration is complete, from assumed costs. A prediction reads all iterations, so a
    // growing run is predicted again only when their number has doubled.
    void askPrediction(const RunPointer& run, bool isComplete);
    void askKernels(const RunPointer& run); // from its file, once it is complete

    // What the document and the timeline show.
    void showRun();
    void showView(const RunViewPointer& view);
    void showState();
    void showWaiting();
    void showProgress();
    void showEnd();
    void askForMore();
    void askNext(); // which scheme is faster, once the page is seen
    void showKernels(const KernelViewPointer& kernels, const QString& reason);
    void showKernelLanes(bool areShown);
    void showIteration(int iteration);
    void select(const Selection& selection);
    void selectCategory(profiler::TimeCategory category);
    void askRange();
    void markRange(engine::Window range); // and brings it into view
    void showPopover();
    bool needsPopover() const;
    void showPlace();
    RunStateView::Facts facts() const;
    const RunViewPointer& view() const; // view of timeline, details and tables; may be nullptr
    void runAgain();

    // Lanes, the context menu and the palette (run_actions.cpp).
    int selectedLane() const;     // a device; -1: none
    bool areAllCollapsed() const; // whether every group of lanes is
    void showLanes();             // enables the actions for the selection
    void showMenu(const QPoint& at);
    void addSelectionTo(QMenu& menu, const Selection& selection);
    void addOpTo(QMenu& menu, const Selection& selection);
    QAction* foundAction(const QString& text, const std::function<void()>& trigger);
    QList<QAction*> foundOps(const QString& text);
    QList<QAction*> foundSettings(const QString& text);

    const ThemeController& m_theme;
    RunLibrary& m_library;
    std::shared_ptr<RunDocument> m_document;
    ViewPreparation m_views;
    profiler::RunMetrics m_metrics;
    bool m_hasEnded = false;    // whether the end of the run was shown
    QTimer m_progressLater;     // updates all parts together, so that they show the same progress
    RunViewPointer m_rangeView; // the view whose range was asked for last
    std::size_t m_reported = 0; // rows of the table of iterations
    std::size_t m_nextPrediction = 1; // number of iterations at which the run is predicted again
    bool m_isAssumed = false;         // the iteration from assumed costs was requested
    bool m_isPredicted = false;       // the complete run was predicted
    RunPointer m_kernelsOf;           // whose kernels were requested last
    Latest<IterationRequest, IterationAnswer> m_iterations;
    Latest<RangeRequest, RangeAnswer> m_ranges;
    Latest<RunPointer, RunPointer> m_predictions;
    Latest<RunPointer, RunViewPointer> m_assumed;
    Latest<KernelRequest, Kernels> m_kernels;
    std::optional<engine::Note> m_place;     // to be shown
    std::unique_ptr<QObject> m_foundActions; // owns the actions of foundActions()

    RunActions m_actions;
    RunsDock* m_runs;
    RunToolbar* m_toolbar;
    AnswerStrip* m_answer;
    TimelineWidget* m_timeline;
    RunStateView* m_state; // contains the timeline
    RunPanels* m_panels;
    DetailsPanel* m_details;
    FindBar* m_findBar;
    RunSaver* m_saver;
    WhyPanel* m_why;
    SelectionPopover* m_popover;

    QSplitter* m_rows;
    QStackedWidget* m_detailsStack; // pages: the details and "Why not faster?"
    QLabel* m_detailsTitle;
    bool m_wereDetailsShown = true; // whether the details were open before "Why not faster?"
    QWidget *m_footer = nullptr, *m_ofSelection = nullptr, *m_ofRunning = nullptr;
    QPushButton *m_save = nullptr, *m_stop = nullptr, *m_pause = nullptr;
    bool m_hasRoomForPanels = true;
};

} // namespace app
