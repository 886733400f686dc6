#include "app/run/run_state_view.h"

#include "app/plan/prediction.h"
#include "app/plan/schedule_preview.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace app {

RunStateView::RunStateView(const ThemeController& theme, QWidget* timeline)
    : m_timeline(timeline)
    , m_waiting(named(makeLabel({}, "secondary"), "waiting"))
    , m_assumed(named(makeLabel({}, "hint"), "assumedPlan"))
    , m_preview(new SchedulePreview(theme))
    , m_failed(
          named(new EmptyState(theme, {Icon::Error, {}, {}, tr("Open another run")}), "failed"))
    , m_band(named(new Band(theme, Band::Shape::State, this), "stateBand"))
    , m_report(m_band->addAction(tr("Import report"), QStringLiteral("bandReport")))
    , m_runAgain(m_band->addAction(tr("Run again"), QStringLiteral("runAgain")))
{
    for (QLabel* label : {m_waiting, m_assumed}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
    }
    m_band->hide();
    auto* failed = new QWidget;
    spaced(new QVBoxLayout(failed), {14, 14, 14, 14}, 0, {m_failed});
    m_preview->hide();
    auto* waiting = new QWidget;
    spaced(new QVBoxLayout(waiting), {24, 14, 24, 14}, 14,
           {kStretch, m_waiting, m_preview, m_assumed, kStretch});
    for (QWidget* one : {waiting, failed, timeline})
        addWidget(one);
    connect(m_report, &QPushButton::clicked, this, &RunStateView::reportRequested);
    connect(m_runAgain, &QPushButton::clicked, this, &RunStateView::runAgainRequested);
    connect(m_failed, &EmptyState::activated, this, &RunStateView::openRequested);
    connect(m_band->addAction(tr("Close"), QStringLiteral("dismissBand")), &QPushButton::clicked,
            this, [this] {
                m_isDismissed = true;
                m_band->hide();
            });
}

bool RunStateView::isFailed() const
{
    return currentWidget() == m_failed->parentWidget();
}

void RunStateView::showAssumed(const RunViewPointer& iteration)
{
    m_preview->showOutlines(iteration);
    m_preview->setVisible(!m_assumed->isHidden());
    m_assumed->setText(
        tr("Plan from assumed costs (%1), not from measured times. Ops that have run "
           "are filled.")
            .arg(costsText(engine::UnitCosts())));
}

void RunStateView::setAssumedShown(bool shown)
{
    m_assumed->setVisible(shown);
    m_preview->setVisible(shown && m_preview->hasPicture());
}

QString RunStateView::waitingFor(const RunDocument& document, const Facts& facts) const
{
    if (facts.isPreparing)
        return tr("Preparing %1").arg(document.title());
    if (document.state() == RunDocument::State::Loading)
        return tr("Reading %1").arg(document.file());
    if (document.isQueued())
        return tr("Queued. The run starts when the runs before it are complete: two runs at a time "
                  "would distort each other's times.");
    if (const RunProgress& progress = document.progress(); progress.ops > 0)
        return tr("The first iteration has run %1 of %2 ops, messages included. It appears as soon "
                  "as "
                  "it is complete; the run has %3.")
            .arg(progress.opsDone)
            .arg(progress.ops)
            .arg(remainingTime(progress.secondsLeft));
    return tr("The worker is starting. The first iteration appears as soon as it is complete.");
}

void RunStateView::showState(const RunDocument& document, const Facts& facts)
{
    const bool isWaiting = facts.isPreparing || document.state() == RunDocument::State::Loading
        || document.isRunning() || document.isQueued();
    m_waiting->setText(waitingFor(document, facts));
    if (document.isRunning())
        m_preview->setDone(document.progress().devices);
    setCurrentWidget(facts.hasTimeline ? m_timeline
                         : isWaiting   ? m_waiting->parentWidget()
                                       : m_failed->parentWidget());
    const Notice& notice = document.notice();
    if (facts.isOfWorker)
        m_failed->setTexts(tr("Nothing was recorded."), tr("The log below shows the reason."));
    else
        m_failed->setTexts(notice.title, notice.text);
    showNotice(document, facts);
    if (isFailed() && isVisible())
        m_failed->button()->setFocus();
}

void RunStateView::showNotice(const RunDocument& document, const Facts& facts)
{
    const Notice& notice = document.notice();
    const RunPointer run = document.run();
    const bool hasExperiment = run && !run->info.experiment.empty();
    const bool isSaidBelow = isFailed() && !facts.isOfWorker;
    if (std::exchange(m_notice, notice) != notice)
        m_isDismissed = false;
    if (notice.level == Notice::Level::None || isSaidBelow || m_isDismissed)
        m_band->hide();
    else
        m_band->show(notice.level == Notice::Level::Error ? Band::Kind::Error : Band::Kind::Warning,
                     notice.title, notice.text);
    m_report->setVisible(run && run->info.import);
    m_runAgain->setVisible(notice.canRepeat && (hasExperiment || facts.isOfWorker));
}

StopRunDialog::StopRunDialog(const RunDocument& document, std::function<void()> stop,
                             QWidget* parent)
    : QDialog(parent)
    , m_document(document)
    , m_text(named(makeLabel({}), "stopText"))
    , m_stop(makeButton(tr("Stop and close"), QStringLiteral("stopAndClose")))
    , m_keep(makeButton(tr("Keep running"), QStringLiteral("keepRunning"), "primary"))
{
    setObjectName(QStringLiteral("stopRunDialog"));
    setWindowTitle(tr("%1 is still running").arg(document.title()));
    setFixedWidth(460);
    m_text->setWordWrap(true);
    showProgress();
    auto* buttons = spaced(new QHBoxLayout, {}, 8, {kStretch, m_stop, m_keep});
    spaced(new QVBoxLayout(this), {20, 16, 20, 16}, 12,
           {makeLabel(windowTitle(), "heading"), m_text, buttons});
    m_keep->setDefault(true);
    const auto closeAtEnd = [this] {
        if (!m_document.isRunning())
            accept();
    };
    connect(m_keep, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_stop, &QPushButton::clicked, this, [this, stop = std::move(stop), closeAtEnd] {
        m_stop->setEnabled(false);
        m_keep->setEnabled(false);
        m_text->setText(tr("Stopping. The worker writes the complete iterations, which takes a few "
                           "seconds at most."));
        stop();
        closeAtEnd();
    });
    connect(&document, &RunDocument::stateChanged, this, closeAtEnd);
    connect(&document, &RunDocument::progressChanged, this, &StopRunDialog::showProgress);
}

// The run continues while the dialog is open, so the number of iterations is updated.
void StopRunDialog::showProgress()
{
    const RunProgress& progress = m_document.progress();
    if (!m_stop->isEnabled())
        return;
    m_text->setText(progress.planned == 0
                        ? tr("The worker is starting, and no iteration is complete yet. Stopping "
                             "now leaves a run without results.")
                        : tr("%1 of %2 iterations are complete and kept in %3. Stopping drops only "
                             "the current iteration.")
                              .arg(progress.done)
                              .arg(progress.planned)
                              .arg(m_document.file()));
}

bool mayStop(const RunDocument& document, std::function<void()> stop, QWidget* parent)
{
    return !document.isRunning()
        || StopRunDialog(document, std::move(stop), parent).exec() == QDialog::Accepted;
}

} // namespace app
