#include "app/run/run_toolbar.h"

#include "app/run/run_actions.h"
#include "app/timeline/widget/iteration_stepper.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/themed_icon.h"
#include "app/whatif/what_if.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace app {
namespace {

constexpr int kSegment = 20, kGap = 2, kHeight = 4;
constexpr int kMostSegments = 8, kBarWidth = 160;

} // namespace

IterationSegments::IterationSegments(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("iterationSegments"));
}

void IterationSegments::show(const RunProgress& progress)
{
    m_progress = progress;
    setToolTip(tr("%1 of %2 iterations are complete").arg(progress.done).arg(progress.planned));
    updateGeometry();
    update();
}

QSize IterationSegments::sizeHint() const
{
    const int count = m_progress.planned;
    return {count > kMostSegments ? kBarWidth : std::max(0, count * (kSegment + kGap)), 16};
}

void IterationSegments::paintEvent(QPaintEvent*)
{
    const Chrome& chrome = theme().chrome;
    QPainter painter(this);
    const int top = (height() - kHeight) / 2;
    const bool isBar = m_progress.planned > kMostSegments; // of all iterations
    const double planned = isBar ? m_progress.planned : 1;
    const int width = isBar ? kBarWidth : kSegment;
    for (int i = 0; i < (isBar ? 1 : m_progress.planned); ++i) {
        const QRect segment(i * (kSegment + kGap), top, width, kHeight);
        const double share = std::clamp((m_progress.iterations() - i) / planned, 0.0, 1.0);
        painter.fillRect(segment, chrome.pressed);
        painter.fillRect(QRect(segment.left(), top, static_cast<int>(width * share), kHeight),
                         !isBar && i < m_progress.warmup ? chrome.text3 : chrome.text);
    }
}

RunToolbar::RunToolbar(const ThemeController& theme, const RunActions& actions, QWidget* parent)
    : QWidget(parent)
    , m_actions(actions)
    , m_stepper(new IterationStepper(theme))
    , m_segments(new IterationSegments(theme))
    , m_left(named(makeLabel({}, "small"), "timeLeft"))
    , m_flow(
          named(new SegmentControl(theme, {tr("off"), tr("selected"), tr("all")}), "flowSegments"))
    , m_lanes(named(new SegmentControl(theme, {tr("ops"), tr("ops and kernels")}), "laneSegments"))
    , m_plan(named(new SegmentControl(theme, {tr("plan"), tr("hidden")}), "planSegments"))
    , m_colourBy(named(new QComboBox, "colourBy", tr("Colour by")))
    , m_report(makeActionButton(actions.importReport))
    , m_find(makeActionButton(actions.find))
    , m_export(makeActionButton(actions.exportFigure))
    , m_walk(new QWidget)
    , m_running(new QWidget)
    , m_view(makeView())
{
    setFixedHeight(40);
    m_export->setText(tr("Export"));
    setMinimumWidth(560); // narrower than the contents, because fitTexts() hides parts
    auto* walk = spaced(new QHBoxLayout(m_walk), {}, 2);
    for (QAction* action : {actions.back, actions.forward, actions.fit})
        walk->addWidget(makeToolButton(action));
    fillRunning();

    spaced(new QHBoxLayout(this), {8, 0, 8, 0}, 12,
           {makeToolButton(actions.showRuns), m_walk, makeLine(Qt::Vertical), m_stepper, m_running,
            m_view, kStretch, m_report, m_find, m_export, makeToolButton(actions.showDetails)});
    connect(m_stepper, &IterationStepper::chosen, this, &RunToolbar::iterationChosen);
}

void RunToolbar::fillRunning()
{
    m_plan->setName(tr("Not yet run"));
    m_plan->setToolTip(tr("Outlines the ops that have not run yet, as predicted"));
    m_names.append(makeLabel(tr("Not yet run"), "small"));
    spaced(new QHBoxLayout(m_running), {}, 10,
           {makeActionButton(m_actions.pause), makeActionButton(m_actions.stop), m_segments, m_left,
            makeActionButton(m_actions.follow), m_names.back(), m_plan});
}

QWidget* RunToolbar::makeView()
{
    m_flow->setName(tr("Flow"));
    m_colourBy->addItems(colourByNames());
    m_colourBy->setFocusPolicy(Qt::TabFocus);
    m_lanes->setName(tr("Rows"));
    m_lanes->hide();
    m_names += {makeLabel(tr("Colour by"), "small"), makeLabel(tr("Flow"), "small")};
    auto* view = new QWidget;
    auto* row = spaced(new QHBoxLayout(view), {}, 8, {m_names.at(0), m_colourBy});
    row->addSpacing(4);
    row->addWidget(m_lanes);
    row->addWidget(m_names.at(1));
    row->addWidget(m_flow);
    const auto choose = [this] { Q_EMIT lookChosen(look()); };
    for (SegmentControl* control : {m_plan, m_lanes, m_flow}) {
        control->setCompact();
        connect(control, &SegmentControl::currentChanged, this, choose);
    }
    connect(m_colourBy, &QComboBox::activated, this, choose);
    return view;
}

void RunToolbar::setLook(const TimelineLook& look)
{
    const QSignalBlocker flow(m_flow), lanes(m_lanes), plan(m_plan);
    m_flow->setCurrent(static_cast<int>(look.flow));
    m_colourBy->setCurrentIndex(static_cast<int>(look.colourBy));
    m_lanes->setCurrent(look.areKernelsShown ? 1 : 0);
    m_plan->setCurrent(look.isPlanShown ? 0 : 1);
}

TimelineLook RunToolbar::look() const
{
    return {static_cast<TimelineLook::Flow>(m_flow->current()),
            static_cast<ColourBy>(m_colourBy->currentIndex()), m_lanes->current() == 1,
            m_plan->current() == 0};
}

void RunToolbar::offerKernels(bool areKnown, const QString& reason)
{
    m_lanes->setVisible(areKnown);
    fitTexts();
    m_lanes->setToolTip(areKnown ? tr("Shows kernels, copies and NCCL under their ops (G)")
                                 : reason);
}

void RunToolbar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitTexts();
}

void RunToolbar::fitTexts()
{
    using enum Labels;
    for (const Labels labels : {NamesAndTexts, Names, Few, Bare}) {
        const bool hasTexts = labels == NamesAndTexts;
        for (QLabel* name : m_names)
            name->setVisible(labels < Few);
        m_colourBy->setVisible(labels != Bare);
        m_flow->setVisible(labels != Bare);
        const auto show = [hasTexts](auto* button, const QString& text) {
            button->setText(hasTexts ? text : QString());
            button->setAccessibleName(text);
        };
        show(m_report, tr("Report"));
        show(m_find, m_actions.find->text());
        m_walk->setVisible(labels < Few || m_running->isHidden());
        m_view->layout()->invalidate();
        m_view->updateGeometry();
        m_running->layout()->invalidate();
        m_running->updateGeometry();
        layout()->invalidate();
        if (layout()->sizeHint().width() <= width())
            break;
    }
    for (QLayout* changed : {m_view->layout(), m_running->layout(), layout()}) {
        changed->invalidate();
        changed->activate();
    }
}

void RunToolbar::showRun(const RunDocument& document, int iteration)
{
    const RunPointer run = document.run();
    static const engine::Timeline kNone; // "run ? run->timeline : Timeline()" would copy it
    m_stepper->show(run ? run->timeline : kNone, iteration);
    const bool isImported = run && run->info.import && !document.file().isEmpty();
    m_actions.importReport->setVisible(isImported);
    m_report->setVisible(isImported);
    const QString reason
        = document.isRunning() ? tr("The run has not finished") : whyNoWhatIf(run.get());
    m_actions.whatIf->setEnabled(reason.isEmpty());
    m_actions.whatIf->setToolTip(
        reason.isEmpty() ? tr("Predicts other schemes with the measured times (P)") : reason);
    for (QAction* action : {m_actions.exportFigure, m_actions.exportReport})
        action->setEnabled(hasIterations(run.get()) && !document.isRunning()
                           && !document.isPartlyRead());
    const bool isUnderWay = document.isRunning() || document.isQueued();
    m_running->setVisible(isUnderWay);
    m_view->setVisible(!isUnderWay);
    m_find->setEnabled(hasIterations(run.get()));
    m_actions.why->setEnabled(hasIterations(run.get()));
    const bool isOn = document.state() == RunDocument::State::Running;
    m_actions.stop->setEnabled(isOn || document.isQueued());
    const bool isLive = run && run->info.mode == engine::Mode::Live;
    m_actions.pause->setEnabled(isOn && run && !isLive);
    m_actions.pause->setToolTip(
        isLive ? tr("A live run is timed by the wall clock, so it cannot be paused")
               : tr("Pauses the worker; the times of ops exclude the pause"));
    m_actions.pause->setChecked(document.isPaused());
    if (isUnderWay)
        showProgress(document);
    fitTexts();
}

void RunToolbar::showProgress(const RunDocument& document)
{
    const RunProgress& progress = document.progress();
    m_segments->show(progress);
    m_left->setToolTip(document.state() == RunDocument::State::Stopping
                           ? tr("Keeps the complete iterations")
                           : QString());
    if (document.isQueued())
        m_left->setText(tr("in the queue"));
    else if (document.isPaused())
        m_left->setText(tr("paused"));
    else if (document.state() == RunDocument::State::Stopping)
        m_left->setText(tr("stopping"));
    else if (progress.secondsLeft >= 0)
        m_left->setText(remainingTime(progress.secondsLeft));
    else
        m_left->setText(tr("starting"));
}

} // namespace app
