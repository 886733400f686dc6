#pragma once

#include "app/timeline/view/lanes.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <optional>

namespace app {

class RunActions;
class TimelineWidget;

// Hides, pins and moves the lane of the selected device, and restores all lanes.
class RunLanes : public QObject
{
    Q_OBJECT

public:
    RunLanes(TimelineWidget& timeline, const RunActions& actions, QObject* parent);

    // Returns "1 of 4 lanes hidden, 2 pinned" for the status bar; empty if all lanes are shown in
    // their usual order.
    QStringList status() const;
    void update(); // enables the actions for the selection

Q_SIGNALS:
    void changed();

private:
    int device() const; // device of the selection; -1: none
    std::optional<LaneGroup> group() const;
    void change(const std::function<void(LaneOrder&)>& edit);

    TimelineWidget& m_timeline;
    const RunActions& m_actions;
};

} // namespace app
