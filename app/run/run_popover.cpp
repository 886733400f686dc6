#include "app/run/run_popover.h"

#include "app/run/run_actions.h"
#include "app/run/selection_popover.h"
#include "app/timeline/widget/timeline_widget.h"

#include <QAction>

namespace app {

RunPopover::RunPopover(const ThemeController& theme, TimelineWidget& timeline,
                       const RunActions& actions, QObject* parent)
    : QObject(parent)
    , m_timeline(timeline)
    , m_actions(actions)
    , m_popover(new SelectionPopover(theme, &timeline))
{
    connect(&timeline, &TimelineWidget::selectionChanged, this, &RunPopover::update);
    connect(actions.showDetails, &QAction::toggled, this, &RunPopover::update);
    connect(&timeline, &TimelineWidget::viewChanged, this, [this] {
        if (isNeeded())
            m_popover->place(m_timeline.selectionRect());
    });
    connect(m_popover, &SelectionPopover::jumpTo, &timeline, &TimelineWidget::select);
}

bool RunPopover::isNeeded() const
{
    const Selection::Kind kind = m_timeline.selection().kind;
    return m_timeline.view() && !m_actions.showDetails->isChecked()
        && (kind == Selection::Kind::Op || kind == Selection::Kind::Bubble
            || kind == Selection::Kind::Kernel);
}

void RunPopover::update()
{
    if (isNeeded())
        m_popover->show(
            detailsOf(*m_timeline.view(), m_timeline.selection(), m_timeline.kernels().get()),
            m_timeline.selectionRect());
    else
        m_popover->hide();
}

} // namespace app
