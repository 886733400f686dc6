#include "app/run/run_look.h"

#include "app/run/run_actions.h"
#include "app/run/run_panels.h"
#include "app/run/run_state_view.h"
#include "app/run/run_toolbar.h"
#include "app/timeline/widget/timeline_widget.h"

#include <QAction>

namespace app {

RunLook::RunLook(const Parts& parts, const RunActions& actions, QObject* parent)
    : QObject(parent)
    , m_parts(parts)
    , m_actions(actions)
{
    TimelineWidget* timeline = m_parts.timeline;
    connect(m_actions.back, &QAction::triggered, timeline, &TimelineWidget::zoomBack);
    connect(m_actions.forward, &QAction::triggered, timeline, &TimelineWidget::zoomForward);
    connect(m_actions.fit, &QAction::triggered, timeline, &TimelineWidget::zoomToFit);
    connect(m_actions.fitAll, &QAction::triggered, timeline, &TimelineWidget::zoomToAll);
    connect(m_actions.fitSelection, &QAction::triggered, timeline,
            &TimelineWidget::zoomToSelection);
    connect(m_actions.follow, &QAction::toggled, timeline, &TimelineWidget::setFollow);
    connect(timeline, &TimelineWidget::followChanged, m_actions.follow, &QAction::setChecked);
    connect(m_parts.toolbar, &RunToolbar::iterationChosen, timeline,
            &TimelineWidget::showIteration);
    const auto change = [this, timeline](QAction* action, auto edit) {
        connect(action, &QAction::triggered, this, [timeline, edit](bool isOn) {
            TimelineLook look = timeline->look();
            edit(look, isOn);
            timeline->setLook(look);
        });
    };
    // These actions select the next choice; in the toolbar the user selects any choice.
    change(m_actions.flow, [](TimelineLook& look, bool) { look.flow = nextFlow(look.flow); });
    change(m_actions.colourBy,
           [](TimelineLook& look, bool) { look.colourBy = nextColourBy(look.colourBy); });
    change(m_actions.plan, [](TimelineLook& look, bool isOn) { look.isPlanShown = isOn; });
    connect(m_actions.kernels, &QAction::triggered, this, &RunLook::showKernels);
    connect(m_parts.toolbar, &RunToolbar::lookChosen, timeline, &TimelineWidget::setLook);
    const auto follow = [this](const TimelineLook& look) {
        m_parts.toolbar->setLook(look);
        m_actions.kernels->setChecked(look.areKernelsShown);
        m_actions.plan->setChecked(look.isPlanShown);
        m_parts.state->setAssumedShown(look.isPlanShown);
    };
    connect(timeline, &TimelineWidget::lookChanged, this, follow);
    follow(timeline->look());
}

// Without kernels, the table shows the reason.
void RunLook::showKernels(bool areShown)
{
    const KernelViewPointer& kernels = m_parts.timeline->kernels();
    const bool hasAny = kernels && !kernels->isEmpty();
    TimelineLook look = m_parts.timeline->look();
    look.areKernelsShown = areShown && hasAny;
    m_parts.timeline->setLook(look);
    m_actions.kernels->setChecked(look.areKernelsShown);
    if (!areShown || hasAny)
        return;
    m_parts.panels->setFolded(false);
    m_parts.panels->setPanel(RunPanels::Panel::Kernels);
}

} // namespace app
