#include "app/run/why_controller.h"

#include "app/documents/run_library.h"
#include "app/plan/run_plan.h"
#include "app/run/run_actions.h"
#include "app/run/run_panels.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/text.h"
#include "app/whatif/what_if.h"
#include "app/why/why_panel.h"
#include "engine/experiment/experiment.h"
#include "profiler/analysis/predicted_info.h"

#include <QAction>
#include <QMessageBox>
#include <QScopedValueRollback>

namespace app {

WhyController::WhyController(const ThemeController& theme, const RunActions& actions,
                             TimelineWidget& timeline, RunPanels& panels,
                             std::shared_ptr<RunDocument> document)
    : QObject(&timeline)
    , m_actions(actions)
    , m_timeline(timeline)
    , m_panels(panels)
    , m_panel(new WhyPanel(theme))
    , m_document(std::move(document))
{
    connect(actions.why, &QAction::toggled, this, [this](bool isOn) { isOn ? ask() : close(); });
    const auto turnOff = [action = actions.why] { action->setChecked(false); };
    connect(&timeline, &TimelineWidget::pathClosed, this, turnOff);
    connect(m_panel, &WhyPanel::closeRequested, this, [this, turnOff] {
        turnOff();
        m_timeline.setFocus();
    });
    connect(&timeline, &TimelineWidget::reasonClicked, this, &WhyController::choose);
    connect(&m_analysis, &WhyAnalysis::explained, this, &WhyController::explain);
    connect(&m_analysis, &WhyAnalysis::effectKnown, m_panel, &WhyPanel::setEffect);
    connect(&m_analysis, &WhyAnalysis::accuracyKnown, m_panel, &WhyPanel::setAccuracy);
    connect(&m_analysis, &WhyAnalysis::nextKnown, this, [this](const NextSchemeAnswer& answer) {
        Q_EMIT nextKnown(answer);
        if (!m_marks)
            return;
        m_next = answer;
        m_panel->setNext(answer, whyNotRun());
    });
    connectPanel();
}

void WhyController::connectPanel()
{
    connect(m_panel, &WhyPanel::reasonChosen, this, &WhyController::choose);
    connect(m_panel, &WhyPanel::reasonHovered, this,
            [this](int reason) { m_timeline.setReason(reason >= 0 ? reason : m_panel->reason()); });
    connect(m_panel, &WhyPanel::opChosen, this, &WhyController::chooseOp);
    connect(m_panel, &WhyPanel::listRequested, &m_panels, &RunPanels::showPathEvents);
    connect(m_panel, &WhyPanel::cancelRequested, &m_analysis, &WhyAnalysis::cancelNextScheme);
    connect(m_panel, &WhyPanel::fitRequested, &m_timeline, &TimelineWidget::zoomToFit);
    connect(m_panel, &WhyPanel::compareRequested, this, &WhyController::compare);
    connect(m_panel, &WhyPanel::runRequested, this, &WhyController::run);
}

void WhyController::setIteration(const RunViewPointer& view, int iteration)
{
    if (view == m_view && iteration == m_iteration)
        return;
    // Keeps the critical path, because a complete iteration of a running run does not change.
    const bool isKnown = m_marks && iteration == m_iteration && m_document->isRunning();
    m_view = view;
    m_iteration = iteration;
    if (m_actions.why->isChecked() && !isKnown)
        ask();
}

void WhyController::ask()
{
    close();
    if (m_view && m_iteration >= 0) {
        m_panel->showEmpty({}, WhyPanel::Offer::Nothing);
        m_analysis.ask(m_view->shared(), m_iteration);
    } else {
        m_panel->showEmpty(tr("Show one whole iteration to see its path."),
                           WhyPanel::Offer::FitIteration);
    }
}

void WhyController::close()
{
    m_analysis.cancel();
    m_marks.reset();
    m_next = {};
    m_timeline.setPath(nullptr);
    m_panels.setPath(nullptr);
}

void WhyController::explain(const PathMarksPointer& marks, const QString& reason)
{
    m_marks = marks;
    m_timeline.setPath(marks);
    m_panels.setPath(marks);
    if (marks)
        m_panel->show(m_view->shared(), marks, m_document->title());
    else
        m_panel->showEmpty(capitalized(reason), WhyPanel::Offer::Nothing);
}

void WhyController::choose(int reason)
{
    m_panel->setReason(reason);
    m_timeline.revealReason(reason);
}

void WhyController::chooseOp(std::uint32_t op)
{
    const QScopedValueRollback choosing(m_isChoosing, true);
    if (const auto to = selectOp(*m_view, op, m_iteration))
        m_timeline.select(*to);
}

void WhyController::setSelection(const Selection& selection)
{
    if (!m_marks || m_isChoosing || selection.kind != Selection::Kind::Op
        || selection.iteration != m_iteration)
        return;
    const int reason = reasonOf(*m_marks, selection.op);
    m_panel->setReason(reason);
    m_timeline.setReason(reason);
}

// Returns the reason why the next scheme cannot be run like this run; "" if it can.
QString WhyController::whyNotRun() const
{
    const engine::RunInfo& info = m_view->run().info;
    return info.experiment.empty() || !engine::experimentFromToml(info.experiment)
        ? tr("The run does not state its experiment, so New run cannot be filled in")
        : QString();
}

// Writes the prediction to a file, because the comparison page opens files.
void WhyController::compare()
{
    if (!m_next.next)
        return;
    engine::Run predicted = m_next.next->run;
    const engine::Run& run = m_view->run();
    profiler::describeRecorded(run, m_document->file().toStdString(), predicted.schedule.shape,
                               predicted.info);
    predicted.info.label = schemeLabel(QString::fromStdString(m_next.next->scheme)).toStdString();
    predicted.info.outcome = engine::Outcome::Finished;
    predicted.info.started = run.info.started;
    predicted.info.timing = tr("medians of %1").arg(m_document->title()).toStdString();
    m_writing.run([predicted = std::move(predicted)] { return writeNewRun(predicted); },
                  [this](const engine::Result<QString>& file) {
                      if (file)
                          Q_EMIT pageRequested({"compare", {*file}, {m_document}});
                      else
                          QMessageBox::warning(m_panel, tr("Not written"),
                                               QString::fromStdString(file.error().message));
                  });
}

// The sizes are those of the prediction: the experiment of a schedule file does not state them.
void WhyController::run()
{
    if (!m_next.next)
        return;
    RunPlan plan
        = withScheme(planFromExperiment(QString::fromStdString(m_view->run().info.experiment)),
                     m_next.next->scheme);
    engine::ScheduleRequest& schedule = plan.experiment.schedule;
    schedule.devices = m_next.next->run.schedule.shape.devices;
    schedule.microBatches = m_next.next->run.schedule.shape.microBatches;
    Q_EMIT pageRequested({.kind = "setup", .plan = plan});
}

} // namespace app
