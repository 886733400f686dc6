#include "app/pages/run/run_look.h"

#include "app/pages/run/run_actions.h"
#include "app/widgets/run/run_panels.h"
#include "app/widgets/run/run_state_view.h"
#include "app/widgets/run/run_toolbar.h"
#include "app/widgets/timeline/timeline_widget.h"

#include <QAction>

namespace app {

RunLook::RunLook(const Parts& parts, const RunActions& actions, QObject* parent)
    : QObject(parent)
    , m_parts(parts)
    , m_actions(actions)
{
    connectFlow();
    connectColours();
    connectKernels();
    connectPlan();
}

// The key selects the next choice; the toolbar has all choices.
void RunLook::connectFlow()
{
    using Mode = TimelineWidget::FlowMode;
    TimelineWidget* timeline = m_parts.timeline;
    const auto setFlow = [timeline](int mode) { timeline->setFlowMode(static_cast<Mode>(mode)); };
    connect(m_actions.flow, &QAction::triggered, timeline,
            [timeline, setFlow] { setFlow((static_cast<int>(timeline->flowMode()) + 1) % 3); });
    connect(m_parts.toolbar, &RunToolbar::flowChosen, timeline, setFlow);
    connect(timeline, &TimelineWidget::flowModeChanged, m_parts.toolbar,
            [this](Mode mode) { m_parts.toolbar->setFlow(static_cast<int>(mode)); });
    m_parts.toolbar->setFlow(static_cast<int>(timeline->flowMode()));
}

void RunLook::connectColours()
{
    TimelineWidget* timeline = m_parts.timeline;
    connect(m_actions.colourBy, &QAction::triggered, timeline,
            [timeline] { timeline->setColourBy(nextColourBy(timeline->colourBy())); });
    connect(m_parts.toolbar, &RunToolbar::colourByChosen, timeline,
            [timeline](int by) { timeline->setColourBy(static_cast<ColourBy>(by)); });
    connect(timeline, &TimelineWidget::colourByChanged, m_parts.toolbar,
            [this](ColourBy by) { m_parts.toolbar->setColourBy(static_cast<int>(by)); });
}

void RunLook::connectKernels()
{
    connect(m_actions.kernels, &QAction::triggered, this, &RunLook::setKernelsShown);
    connect(m_parts.toolbar, &RunToolbar::kernelsChosen, this, &RunLook::setKernelsShown);
    connect(m_parts.timeline, &TimelineWidget::kernelsShownChanged, this, [this](bool shown) {
        m_actions.kernels->setChecked(shown);
        m_parts.toolbar->setKernelsShown(shown);
    });
}

void RunLook::connectPlan()
{
    connect(m_actions.plan, &QAction::triggered, m_parts.timeline, &TimelineWidget::setPlanShown);
    connect(m_parts.toolbar, &RunToolbar::planChosen, m_parts.timeline,
            &TimelineWidget::setPlanShown);
    connect(m_parts.timeline, &TimelineWidget::planShownChanged, this, [this](bool shown) {
        m_actions.plan->setChecked(shown);
        m_parts.state->setAssumedShown(shown);
        m_parts.toolbar->setPlanShown(shown);
    });
}

// Without kernels, the table shows the reason.
void RunLook::setKernelsShown(bool shown)
{
    const KernelViewPointer& kernels = m_parts.timeline->kernels();
    const bool hasAny = kernels && !kernels->isEmpty();
    m_parts.timeline->setKernelsShown(shown && hasAny);
    m_actions.kernels->setChecked(shown && hasAny);
    if (!shown || hasAny)
        return;
    m_parts.panels->setFolded(false);
    m_parts.panels->setPanel(RunPanels::Panel::Kernels);
}

} // namespace app
