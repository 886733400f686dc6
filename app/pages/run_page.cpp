#include "app/pages/run_page.h"

#include "app/models/numbers.h"
#include "app/models/tables/iterations_model.h"
#include "app/models/text.h"
#include "app/pages/run_page_parts.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/run/details_panel.h"
#include "app/widgets/run/notes_panel.h"
#include "app/widgets/run/progress_panel.h"
#include "app/widgets/run/run_panels.h"
#include "app/widgets/run/selection_popover.h"
#include "app/widgets/run/stop_run_dialog.h"
#include "app/widgets/timeline/timeline_widget.h"
#include "app/widgets/window/runs_dock.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>

#include <utility>

namespace app {
namespace {

using State = RunDocument::State;

Band::Kind bandKind(Notice::Level level)
{
    return level == Notice::Level::Error ? Band::Kind::Error : Band::Kind::Warning;
}

} // namespace

RunPage::RunPage(const ThemeController& theme, RunLibrary& library,
                 std::shared_ptr<RunDocument> document, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_document(std::move(document))
    , m(std::make_unique<Parts>())
{
    setObjectName(QStringLiteral("runPage"));
    makeActions();
    buildLayout();
    connectActions();
    connectTimeline();
    connectDocument();
    for (const QString& line : m_document->log())
        m->panels->addLogLine(line);
    if (m_document->isRunning() || m_document->isQueued()) {
        m->panels->setPanel(RunPanels::Panel::Progress);
        m->actions.follow->setChecked(true);
    }
    if (m_document->run())
        showRun();
    showState();
    showNotice();
}

RunPage::~RunPage() = default;

void RunPage::connectTimeline()
{
    connect(m->timeline, &TimelineWidget::selectionChanged, this, &RunPage::select);
    connect(m->timeline, &TimelineWidget::iterationChanged, this, &RunPage::showIteration);
    connect(m->timeline, &TimelineWidget::viewChanged, this, [this] {
        if (isExplainedInPlace())
            m->popover->place(m->timeline->selectionRect());
    });
    connect(m->details, &DetailsPanel::jumpTo, m->timeline, &TimelineWidget::select);
    connect(m->popover, &SelectionPopover::jumpTo, m->timeline, &TimelineWidget::select);
    connect(m->panels, &RunPanels::selected, m->timeline, &TimelineWidget::select);
    const auto go = [this](int iteration) { m->timeline->showIteration(iteration); };
    connect(m->toolbar, &RunToolbar::iterationChosen, this, go);
    connect(&m->panels->progress(), &ProgressPanel::iterationChosen, this, go);
    connect(m->runs, &RunsDock::activated, this, &Page::openRequested);
    connect(m->runs, &RunsDock::compareRequested, this, &Page::compareRequested);
    connect(m->runs, &RunsDock::removeRequested, this,
            [this](const RunDocument& document) { m_library.close(document); });
    connect(m->runs, &RunsDock::moveInQueueRequested, this,
            [this](const RunDocument& document, int by) { m_library.moveInQueue(document, by); });
    connect(m->runs, &RunsDock::addRequested, this, [this] { Q_EMIT newRunRequested({}); });
    connect(&m_views, &ViewPreparation::ready, this,
            [this](const auto& views) { showView(views.front()); });
    connect(&m_kernels, &KernelLoader::loaded, this, &RunPage::showKernels);
    connect(m->bandRunAgain, &QPushButton::clicked, this, &RunPage::runAgain);
    connect(m->failed, &EmptyState::activated, this, &Page::openDialogRequested);
    connect(m->bandDismiss, &QPushButton::clicked, m->band, &QWidget::hide);
    connect(&m_analysis, &RunAnalysis::iterationsDone, this,
            [this](const RunPointer& run, std::size_t first, const auto& rows) {
                m->panels->progress().iterations().update(run->info, first, rows);
            });
    connect(&m_analysis, &RunAnalysis::answered, this,
            [this](const RunPointer& run, const profiler::RunMetrics& metrics) {
                m_metrics = metrics;
                m->panels->showMetrics(run, metrics);
                Q_EMIT statusChanged();
            });
}

void RunPage::connectDocument()
{
    const RunDocument* document = m_document.get();
    connect(document, &RunDocument::runChanged, this, &RunPage::showRun);
    connect(document, &RunDocument::stateChanged, this, &RunPage::showState);
    connect(document, &RunDocument::noticeChanged, this, &RunPage::showNotice);
    connect(document, &RunDocument::progressChanged, this, [this] {
        m->toolbar->showRun(*m_document, m->timeline->iteration());
        Q_EMIT statusChanged();
    });
    connect(document, &RunDocument::logged, this,
            [this](const QString& line) { m->panels->addLogLine(line); });
}

void RunPage::showRun()
{
    const RunPointer run = m_document->run();
    if (!m_view)
        Q_EMIT titleChanged(); // the run's name is known before it is drawn
    if (!hasIterations(run.get()))
        return;
    m_views.ask({run});
    showWaiting();
}

void RunPage::showView(const RunViewPointer& view)
{
    const bool isFirst = !m_view;
    m_view = view;
    m->timeline->setView(view,
                         isFirst ? TimelineWidget::View::FitIteration : TimelineWidget::View::Keep);
    m->centre->setCurrentWidget(m->timeline);
    if (isFirst && isVisible())
        m->timeline->setFocus();
    showIteration(m->timeline->iteration());
    search(); // a run that has grown may have more hits
    // While a run grows its newest iteration is described; an op that is chosen stays as it was.
    const bool isNothingChosen = m->timeline->selection().kind == Selection::Kind::None;
    if (isFirst || isNothingChosen || !m_document->isRunning())
        m->details->show(view, m->timeline->selection());
    reportFinished();
    askForKernels();
    askForNotes();
}

void RunPage::showIteration(int iteration)
{
    m->toolbar->showRun(*m_document, iteration);
    if (m_view) {
        m->panels->showRun(m_view->shared(), iteration);
        m_analysis.ask(m_view->shared(), iteration);
    }
    Q_EMIT statusChanged();
}

void RunPage::select(const Selection& selection)
{
    m->details->show(m_view, selection);
    m->panels->showSelection(selection);
    m->panels->notes().setCurrent(m->timeline->currentNote());
    showPopover();
    Q_EMIT statusChanged();
}

int RunPage::exportedIteration() const
{
    const int shown = m->timeline->iteration();
    const auto& run = m_document->run();
    return run == nullptr || shown == engine::reportedIteration(run->timeline) ? -1 : shown;
}

void RunPage::showState()
{
    if (m_view && !m_document->isRunning())
        m->details->show(m_view, m->timeline->selection());
    showWaiting();
    m->toolbar->showRun(*m_document, m->timeline->iteration());
    reportFinished();
    askForKernels();
    askForNotes();
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

// What stands in the timeline's place until there is one, or for good.
void RunPage::showWaiting()
{
    const bool isPreparing = m_views.isBusy();
    const bool isLoading = m_document->state() == State::Loading;
    m->waiting->setText(isPreparing     ? tr("Preparing %1").arg(m_document->title())
                            : isLoading ? tr("Reading %1").arg(m_document->file())
                            : m_document->isQueued()
                            ? tr("In the queue. It starts by itself when the runs before it are "
                                 "through: two at a time would disturb each other's times.")
                            : tr("The worker is starting. The first iteration appears as soon as "
                                 "it is whole."));
    const bool isWaiting
        = isLoading || isPreparing || m_document->isRunning() || m_document->isQueued();
    if (!m_view)
        m->centre->setCurrentWidget(isWaiting ? m->waiting : m->failed->parentWidget());
    showFailure(!m_view && !isWaiting);
}

void RunPage::reportFinished()
{
    const RunPointer run = m_document->run();
    if (m_document->state() != State::Finished || !m_view || m_view->shared() != run
        || std::exchange(m_isReported, true))
        return;
    // A run that was watched ends with its headline, the median replay.
    if (m->actions.follow->isChecked()) {
        m->actions.follow->setChecked(false);
        m->timeline->showIteration(engine::reportedIteration(run->timeline));
    }
    if (!m_document->file().isEmpty())
        Q_EMIT runOpened(m_document->file(), run);
}

// There is nothing to look at: the page says so once, and offers no table of nothing.
void RunPage::showFailure(bool isFailed)
{
    const bool isOfWorker = !m_library.optionsOf(*m_document).isEmpty();
    const Notice& notice = m_document->notice();
    if (isOfWorker)
        m->failed->setWords(tr("Nothing was recorded."), tr("The log below holds what was said."));
    else
        m->failed->setWords(notice.headline, notice.text);
    m->panels->setVisible(!isFailed || isOfWorker);
    showNotice();
    if (!isFailed)
        return;
    m->actions.showDetails->setChecked(false);
    if (isVisible())
        m->failed->button()->setFocus();
}

void RunPage::showNotice()
{
    const Notice& notice = m_document->notice();
    const RunPointer run = m_document->run();
    const bool hasOptions = !m_library.optionsOf(*m_document).isEmpty();
    const bool hasExperiment = run && !run->info.experiment.empty();
    const bool isSaidBelow = !hasOptions && m->centre->currentWidget() == m->failed->parentWidget();
    if (notice.level == Notice::Level::None || isSaidBelow)
        m->band->hide();
    else
        m->band->show(bandKind(notice.level), notice.headline, notice.text);
    m->bandRunAgain->setVisible(notice.canRepeat && (hasExperiment || hasOptions));
}

void RunPage::runAgain()
{
    const QStringList options = m_library.optionsOf(*m_document);
    if (!options.isEmpty())
        Q_EMIT startRequested(options);
    else if (const RunPointer run = m_document->run())
        Q_EMIT newRunRequested(QString::fromStdString(run->info.experiment));
}

bool RunPage::queryClose()
{
    if (!m_document->isRunning())
        return true;
    StopRunDialog dialog(
        *m_document, [this] { m_library.stop(*m_document); }, this);
    return dialog.exec() == QDialog::Accepted;
}

QStringList RunPage::statusTexts() const
{
    const RunPointer run = m_document->run();
    if (!run)
        return {m_document->state() == State::Loading ? tr("reading") : tr("no numbers yet")};
    const engine::RunInfo& info = run->info;
    const engine::Shape& shape = run->schedule.shape;
    QString devices = countOf(shape.devices, "device");
    if (!info.deviceName.empty())
        devices += tr(" on %1").arg(QString::fromStdString(info.deviceName).toHtmlEscaped());
    QStringList texts{QStringLiteral("<b>%1</b> %2").arg(capitalized(modeText(info)), devices)};
    if (m_document->isRunning())
        texts.append(tr("%1 of %2 iterations")
                         .arg(m_document->progress().done)
                         .arg(m_document->progress().planned));
    const auto ops = static_cast<std::int64_t>(engine::opCount(run->schedule));
    QString counts = countOf(ops, "op");
    if (m_metrics.messages > 0)
        counts += tr(", %1").arg(countOf(m_metrics.messages, "message"));
    if (const auto& kernels = m->timeline->kernels(); kernels && !kernels->isEmpty())
        counts += tr(", %1").arg(countOf(
            static_cast<std::int64_t>(kernels->activity().trace().kernels.size()), "kernel"));
    texts.append(counts);
    const Selection& selection = m->timeline->selection();
    if (selection.kind != Selection::Kind::None && selection.window.duration() > 0) {
        const auto length = selection.window.duration();
        texts.append(
            tr("selection %1").arg(timeScale(info, length).withUnit(static_cast<double>(length))));
    }
    if (!info.timing.empty())
        texts.append(tr("timed by %1").arg(QString::fromStdString(info.timing).toHtmlEscaped()));
    if (!info.link.empty())
        texts.append(tr("link %1").arg(QString::fromStdString(info.link).toHtmlEscaped()));
    return texts;
}

QString RunPage::statusNote() const
{
    if (m_metrics.devices.empty() || !m_document->run())
        return {};
    const RunPointer run = m_document->run();
    const QString name = iterationName(run->timeline, m_metrics.iteration);
    const bool isReplay
        = run->timeline.iterations[static_cast<std::size_t>(m_metrics.iteration)].kind
        == engine::Iteration::Kind::Replay;
    return tr("%1 %2, bubble %3")
        .arg(isReplay ? name : tr("iteration %1").arg(name),
             timeScale(run->info, m_metrics.duration)
                 .withUnit(static_cast<double>(m_metrics.duration)),
             percent(m_metrics.bubbleRatio));
}

} // namespace app
