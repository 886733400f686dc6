#include "app/run/run_page.h"

#include "app/run/find_bar.h"
#include "app/run/find_controller.h"
#include "app/run/link_controller.h"
#include "app/run/note_bar.h"
#include "app/run/notes_panel.h"
#include "app/run/progress_panel.h"
#include "app/run/run_frame.h"
#include "app/run/run_lanes.h"
#include "app/run/run_look.h"
#include "app/run/run_menu.h"
#include "app/run/run_panels.h"
#include "app/run/run_popover.h"
#include "app/run/run_prediction.h"
#include "app/run/stop_run_dialog.h"
#include "app/run/why_controller.h"
#include "app/shell/run_saver.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details_panel.h"
#include "app/timeline/details/run_status.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"

#include <QAction>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <utility>

namespace app {
namespace {

constexpr int kRunProgressEvery = 300; // ms between updates, because laying out the details is slow

} // namespace

RunPage::RunPage(const ThemeController& theme, RunLibrary& library,
                 std::shared_ptr<RunDocument> document, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_document(std::move(document))
    , m_actions(theme, *this)
    , m_runs(new RunsDock(theme, library.runs()))
    , m_toolbar(new RunToolbar(theme, m_actions))
    , m_timeline(new TimelineWidget(theme))
    , m_state(new RunStateView(theme, m_timeline))
    , m_panels(new RunPanels(theme))
    , m_details(new DetailsPanel(theme))
    , m_findBar(new FindBar(theme))
    , m_find(new FindController(*m_findBar, this))
    , m_notes(new NoteController(theme, m_actions.notes, m_panels->notes(), *this))
    , m_range(new RunRange({m_timeline, m_panels, m_details}, m_actions, m_analysis, this))
    , m_prediction(new RunPrediction(m_analysis, *m_state, this))
    , m_lanes(new RunLanes(*m_timeline, m_actions, this))
    , m_palette(new RunPalette({m_timeline, m_range}, this))
    , m_saver(new RunSaver(this))
    , m_why(new WhyController(theme, {m_actions, *m_timeline, *m_panels, *this}, m_document))
    , m_link(new LinkController({m_actions, *m_timeline, *this}, m_document))
{
    setObjectName(QStringLiteral("runPage"));
    m_runs->setCurrent(m_document.get());
    m_findBar->hide();
    m_frame = new RunFrame(theme, m_actions,
                           {m_runs, m_toolbar, m_state, m_panels, m_details, m_why->panel()},
                           {m_findBar, m_notes->bar(), m_notes->band(), m_state->band()});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_frame);
    setInitialFocus(m_timeline);
    new RunLook({m_timeline, m_toolbar, m_panels, m_state}, m_actions, this);
    new RunMenu({m_timeline, m_find, m_details}, m_actions, this);
    new RunPopover(theme, *m_timeline, m_actions, this);
    connectActions();
    connectTimeline();
    connectDock();
    connectReaders();
    connectDocument();
    for (const QString& line : m_document->log())
        m_panels->addLogLine(line);
    if (m_document->isRunning() || m_document->isQueued()) {
        m_panels->setPanel(RunPanels::Panel::Progress);
        m_actions.follow->setChecked(true);
    }
    if (m_document->run())
        showRun();
    showState();
}

void RunPage::connectActions()
{
    connectFind();
    connectNotes();
    connect(m_actions.pause, &QAction::triggered, this,
            [this](bool paused) { m_library.setPaused(*m_document, paused); });
    connect(m_actions.stop, &QAction::triggered, this, [this] { m_library.stop(*m_document); });
    connect(m_actions.compare, &QAction::triggered, this, [this] {
        Q_EMIT pageRequested({"compare", {}, {m_document}});
    });
    connect(m_actions.exportFigure, &QAction::triggered, this,
            [this] { Q_EMIT exportRequested({m_document->run()}); });
    connect(m_actions.exportReport, &QAction::triggered, this,
            [this] { m_saver->saveReport({m_document->run()}, m_document->title()); });
    connect(m_actions.exportTrace, &QAction::triggered, this,
            [this] { Q_EMIT traceRequested(m_document); });
    connect(m_actions.savePart, &QAction::triggered, this, [this] {
        m_saver->savePart(m_document->run(), m_document->file(), m_timeline->selection().window);
    });
    connect(m_saver, &RunSaver::partSaved, this, [this](const QString& file) {
        Q_EMIT pageRequested({"run", {file}});
    });
    connect(m_actions.foldPanels, &QAction::triggered, this,
            [this] { m_panels->setFolded(!m_panels->isFolded()); });
}

void RunPage::connectFind()
{
    connect(m_actions.find, &QAction::triggered, m_find, &FindController::open);
    connect(m_actions.findNext, &QAction::triggered, m_find, [this] { m_find->step(1); });
    connect(m_actions.findPrevious, &QAction::triggered, m_find, [this] { m_find->step(-1); });
    connect(m_find, &FindController::found, m_timeline, &TimelineWidget::setFound);
    connect(m_find, &FindController::chosen, m_timeline, &TimelineWidget::select);
    connect(m_find, &FindController::allSelected, m_panels, &RunPanels::setHits);
    connect(m_find, &FindController::allSelected, m_details, &DetailsPanel::setHits);
    connect(m_lanes, &RunLanes::changed, this, &Page::statusChanged);
    connect(m_find, &FindController::closed, m_timeline, [this] { m_timeline->setFocus(); });
}

void RunPage::connectNotes()
{
    connect(&m_panels->notes(), &NotesPanel::chosen, m_timeline, &TimelineWidget::goToNote);
    connect(m_notes, &NoteController::closed, m_timeline, [this] { m_timeline->setFocus(); });
    connect(m_notes, &NoteController::openRequested, this, [this](const QString& file) {
        Q_EMIT pageRequested({"run", {file}});
    });
    connect(m_notes, &NoteController::changed, this, [this] {
        m_timeline->setNotes(m_notes->notes());
        m_details->setNotes(m_notes->notes());
        m_panels->notes().setCurrent(m_timeline->currentNote());
    });
}

void RunPage::connectTimeline()
{
    connect(m_timeline, &TimelineWidget::selectionChanged, this, &RunPage::select);
    connect(m_timeline, &TimelineWidget::iterationChanged, this, &RunPage::showIteration);
    connect(m_details, &DetailsPanel::jumpTo, m_timeline, &TimelineWidget::select);
    connect(m_panels, &RunPanels::selected, m_timeline, &TimelineWidget::select);
    connect(&m_panels->progress(), &ProgressPanel::iterationChosen, m_timeline,
            &TimelineWidget::showIteration);
}

void RunPage::connectDock()
{
    linkDock(*m_runs, m_library, *this);
    connect(m_state, &RunStateView::runAgainRequested, this, &RunPage::runAgain);
    connect(m_state, &RunStateView::openRequested, this,
            [this] { Q_EMIT filesRequested(FileKind::Runs); });
}

void RunPage::connectReaders()
{
    connect(&m_views, &ViewPreparation::ready, this,
            [this](const auto& views) { showView(views.front()); });
    connect(&m_kernels, &KernelLoader::loaded, this, &RunPage::showKernels);
    connect(&m_kernels, &KernelLoader::missing, m_panels,
            [this](const QString& reason) { m_panels->showKernels(nullptr, reason); });
    connect(m_prediction, &RunPrediction::changed, m_details, &DetailsPanel::setPrediction);
    connect(m_prediction, &RunPrediction::changed, m_timeline, &TimelineWidget::setPlan);
    connect(&m_analysis, &RunAnalysis::iterationsDone, this,
            [this](const RunPointer& run, std::size_t first, const auto& rows) {
                m_panels->progress().iterations().update(run->info, first, rows);
            });
    connect(&m_analysis, &RunAnalysis::answered, this,
            [this](const RunPointer& run, const profiler::RunMetrics& metrics) {
                m_metrics = metrics;
                m_panels->showMetrics(run, metrics);
                Q_EMIT statusChanged();
            });
}

void RunPage::connectDocument()
{
    const RunDocument* document = m_document.get();
    connect(document, &RunDocument::runChanged, this, &RunPage::showRun);
    connect(document, &RunDocument::stateChanged, this, &RunPage::showState);
    connect(document, &RunDocument::noticeChanged, this,
            [this] { m_state->showNotice(*m_document, facts()); });
    connect(document, &RunDocument::progressChanged, this, [this] {
        const RunProgress& progress = m_document->progress();
        m_timeline->setOpsDone(progress.done, progress.devices);
        if (!m_progressLater.isActive())
            m_progressLater.start();
    });
    m_progressLater.setSingleShot(true);
    m_progressLater.setInterval(kRunProgressEvery);
    connect(&m_progressLater, &QTimer::timeout, this, [this] {
        m_toolbar->showRun(*m_document, m_timeline->iteration());
        if (!view())
            showWaiting();
        showProgress();
        Q_EMIT statusChanged();
    });
    connect(document, &RunDocument::logged, m_panels, &RunPanels::addLogLine);
}

const RunViewPointer& RunPage::view() const
{
    return m_timeline->view();
}

void RunPage::showRun()
{
    const RunPointer run = m_document->run();
    if (!view()) {
        Q_EMIT titleChanged(); // the name is known before the timeline is prepared
        showProgress();
    }
    if (!hasIterations(run.get()))
        return m_prediction->setRun(run, false);
    m_views.ask({run});
    showWaiting();
}

void RunPage::showView(const RunViewPointer& view)
{
    const bool isFirst = !this->view();
    m_timeline->setView(view,
                        isFirst ? TimelineWidget::View::FitIteration : TimelineWidget::View::Keep);
    m_state->setCurrentWidget(m_timeline);
    if (isFirst && m_document->isPartlyRead())
        // Follows the run until the user moves the view or the whole run is read.
        m_actions.follow->setChecked(true);
    if (isFirst && isVisible())
        m_timeline->setFocus();
    showIteration(m_timeline->iteration());
    if (isFirst && isVisible() && m_timeline->areLanesDense())
        m_panels->preferDevices();
    m_lanes->update();
    m_find->setRun(view, m_timeline->kernels()); // a run that has grown may have more hits
    // While a run grows, the details describe the newest iteration unless an op is selected.
    const bool isNothingChosen = m_timeline->selection().kind == Selection::Kind::None;
    if (isFirst || isNothingChosen || !m_document->isRunning())
        m_details->show(view, m_timeline->selection());
    askForMore();
}

// When a run has ended, reads kernels and notes from its complete file.
void RunPage::askForMore()
{
    showEnd();
    if (view()) {
        m_kernels.ask(view()->shared(), *m_document);
        const RunPointer run = m_document->run();
        m_prediction->setRun(run, !m_document->isRunning() && view()->shared() == run);
    }
    m_notes->setRun(view(), *m_document);
    m_link->viewShown();
}

void RunPage::showIteration(int iteration)
{
    m_toolbar->showRun(*m_document, iteration);
    if (view()) {
        m_panels->showRun(view(), iteration);
        m_analysis.ask(view()->shared(), iteration);
    }
    m_find->setPlace(m_timeline->selection(), iteration);
    m_why->setIteration(view(), iteration);
    m_range->setView(view(), iteration);
    Q_EMIT statusChanged();
}

void RunPage::select(const Selection& selection)
{
    m_details->show(view(), selection);
    m_panels->showSelection(selection);
    m_panels->notes().setCurrent(m_timeline->currentNote());
    m_notes->setSelection(selection);
    m_why->setSelection(selection);
    m_range->select(selection);
    m_lanes->update();
    showProgress();
    m_find->setPlace(selection, m_timeline->iteration());
    m_actions.savePart->setEnabled(selection.kind == Selection::Kind::Range);
    Q_EMIT statusChanged();
}

void RunPage::showState()
{
    if (view() && !m_document->isRunning())
        m_details->show(view(), m_timeline->selection());
    showWaiting();
    showProgress();
    m_toolbar->showRun(*m_document, m_timeline->iteration());
    askForMore();
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

RunStateView::Facts RunPage::facts() const
{
    return {view() != nullptr, m_views.isBusy(), !m_document->options().isEmpty()};
}

// Hides the toolbar and the tables of a file that cannot be read.
void RunPage::showWaiting()
{
    m_state->showState(*m_document, facts());
    const bool isUsable = !m_state->isFailed() || facts().isOfWorker;
    m_panels->setVisible(isUsable);
    m_toolbar->setVisible(isUsable);
    if (m_state->isFailed())
        m_actions.showDetails->setChecked(false);
}

// Shows the progress of a running run in the details, and the actions below them.
void RunPage::showProgress()
{
    m_details->setProgress(m_document->isRunning() ? std::optional(m_document->progress())
                                                   : std::nullopt,
                           m_document->run());
    m_frame->showActions(m_timeline->selection().kind, *m_document);
}

void RunPage::showEnd()
{
    const RunPointer run = m_document->run();
    if (m_document->state() != RunDocument::State::Finished || !view() || view()->shared() != run
        || std::exchange(m_hasEnded, true))
        return;
    // When a followed run ends, shows the median iteration.
    if (m_actions.follow->isChecked()) {
        m_actions.follow->setChecked(false);
        m_timeline->showIteration(engine::reportedIteration(run->timeline));
    }
}

void RunPage::showKernels(const KernelViewPointer& kernels, const QString& reason)
{
    m_timeline->setKernels(kernels);
    m_details->setKernels(kernels);
    m_panels->showKernels(kernels, reason);
    m_toolbar->offerKernels(kernels && !kernels->isEmpty(), reason);
    m_find->setRun(view(), kernels); // "kernel:" can now find kernels
    Q_EMIT statusChanged();
}

void RunPage::runAgain()
{
    const QStringList& options = m_document->options();
    if (!options.isEmpty())
        Q_EMIT startRequested({options});
    else if (const RunPointer run = m_document->run())
        Q_EMIT pageRequested(
            {.kind = "setup",
             .plan = planFromExperiment(QString::fromStdString(run->info.experiment))});
}

bool RunPage::queryClose()
{
    return mayStop(
        *m_document, [this] { m_library.stop(*m_document); }, this);
}

int RunPage::exportedIteration() const
{
    const int shown = m_timeline->iteration();
    const auto& run = m_document->run();
    return run && shown != engine::reportedIteration(run->timeline) ? shown : -1;
}

QStringList RunPage::statusTexts() const
{
    const KernelView* kernels = m_timeline->kernels().get();
    return runStatus(*m_document, m_metrics, m_timeline->selection(), kernels)
        + (view() ? recordStatus(*view(), kernels) : QStringList()) + m_lanes->status();
}

QString RunPage::statusNote() const
{
    return iterationStatus(*m_document, m_metrics);
}

void RunPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_timeline->setFocus();
}

void RunPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    m_frame->fold(size());
}

QJsonObject RunPage::state() const
{
    QJsonObject state = Page::state();
    state.insert(QStringLiteral("folded"), m_panels->isFolded());
    state.insert(QStringLiteral("timeline"), m_timeline->state());
    return state;
}

void RunPage::restoreState(const QJsonObject& state)
{
    Page::restoreState(state);
    if (const QJsonValue folded = state.value(QStringLiteral("folded")); folded.isBool())
        m_panels->setFolded(folded.toBool());
    m_timeline->restore(state.value(QStringLiteral("timeline")).toObject());
}

} // namespace app
