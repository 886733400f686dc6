#pragma once

#include "app/timeline/view/selection.h"

#include <QObject>
#include <QPoint>

class QMenu;

namespace app {

class DetailsPanel;
class FindController;
class RunActions;
class TimelineWidget;

// The context menu of the timeline for an op, a bubble, a range or a lane.
class RunMenu : public QObject
{
    Q_OBJECT

public:
    struct Parts
    {
        TimelineWidget* timeline;
        FindController* find;
        DetailsPanel* details; // the menu can copy its text
    };

    RunMenu(const Parts& parts, const RunActions& actions, QWidget* page);

private:
    void show(const QPoint& at);
    void addSelection(QMenu& menu);
    void addOp(QMenu& menu, const Selection& selection);
    void addLane(QMenu& menu);

    Parts m_parts;
    const RunActions& m_actions;
    QWidget* m_page;
};

} // namespace app
