#include "app/widgets/run_toolbar.h"

#include "app/models/numbers.h"
#include "app/widgets/controls.h"
#include "app/widgets/iteration_segments.h"
#include "app/widgets/iteration_stepper.h"
#include "app/widgets/segment_control.h"
#include "app/widgets/themed_icon.h"

#include <QAction>
#include <QHBoxLayout>
#include <QToolButton>

namespace app {
namespace {

// A push button of 24 that does an action: text, state and tip are the action's.
QPushButton* actionButton(QAction* action)
{
    QPushButton* button
        = makeButton(action->text(), action->objectName() + QStringLiteral("Button"), "tool");
    const auto update = [action, button] {
        button->setEnabled(action->isEnabled());
        button->setChecked(action->isChecked());
        button->setIcon(action->icon());
        button->setToolTip(action->toolTip());
    };
    button->setCheckable(action->isCheckable());
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    QObject::connect(action, &QAction::changed, button, update);
    update();
    return button;
}

} // namespace

RunToolbar::RunToolbar(const ThemeController& theme, const Actions& actions, QWidget* parent)
    : QWidget(parent)
    , m_actions(actions)
    , m_stepper(new IterationStepper(theme))
    , m_segments(new IterationSegments(theme))
    , m_left(makeLabel({}, "small"))
    , m_flow(new QWidget)
    , m_walk(new QWidget)
    , m_running(new QWidget)
{
    setFixedHeight(40);
    auto* walk = spaced(new QHBoxLayout(m_walk), {}, 2);
    for (QAction* action : {actions.back, actions.forward, actions.fit})
        walk->addWidget(makeToolButton(action));
    auto* running = spaced(new QHBoxLayout(m_running), {}, 10);
    running->addWidget(actionButton(actions.stop));
    running->addWidget(m_segments);
    running->addWidget(m_left);
    running->addWidget(actionButton(actions.follow));
    m_left->setObjectName(QStringLiteral("timeLeft"));

    auto* flow = spaced(new QHBoxLayout(m_flow), {}, 8);
    auto* segments = new SegmentControl(theme, {tr("off"), tr("selected")});
    segments->setObjectName(QStringLiteral("flowSegments"));
    segments->setCompact();
    segments->setCurrent(actions.flow->isChecked() ? 1 : 0);
    flow->addWidget(makeLabel(tr("Flow"), "small"));
    flow->addWidget(segments);
    connect(segments, &SegmentControl::currentChanged, actions.flow,
            [action = actions.flow](int choice) { action->setChecked(choice == 1); });
    connect(actions.flow, &QAction::toggled, segments,
            [segments](bool on) { segments->setCurrent(on ? 1 : 0); });

    auto* row = spaced(new QHBoxLayout(this), {8, 0, 8, 0}, 12);
    row->addWidget(makeToolButton(actions.showRuns));
    row->addWidget(m_walk);
    row->addWidget(makeLine(Qt::Vertical));
    row->addWidget(m_stepper);
    row->addWidget(m_running);
    row->addWidget(m_flow);
    row->addStretch(1);
    row->addWidget(actionButton(actions.exportFigure));
    row->addWidget(makeToolButton(actions.showDetails));
    connect(m_stepper, &IterationStepper::chosen, this, &RunToolbar::iterationChosen);
}

void RunToolbar::showRun(const RunDocument& document, int iteration)
{
    const RunPointer run = document.run();
    m_stepper->show(run ? run->timeline : engine::Timeline{}, iteration);
    m_actions.exportFigure->setEnabled(hasIterations(run.get()) && !document.isRunning());
    m_running->setVisible(document.isRunning());
    m_flow->setVisible(!document.isRunning());
    m_actions.stop->setEnabled(document.state() == RunDocument::State::Running);
    if (document.isRunning())
        showProgress(document);
}

void RunToolbar::showProgress(const RunDocument& document)
{
    const RunProgress& progress = document.progress();
    m_segments->show(progress);
    if (document.state() == RunDocument::State::Stopping)
        m_left->setText(tr("stopping; whole iterations are kept"));
    else if (progress.secondsLeft >= 0)
        m_left->setText(remainingTime(progress.secondsLeft));
    else
        m_left->setText(tr("starting"));
}

} // namespace app
