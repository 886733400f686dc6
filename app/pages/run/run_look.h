#pragma once

#include <QObject>

namespace app {

class RunActions;
class RunPanels;
class RunStateView;
class RunToolbar;
class TimelineWidget;

// Keeps the look of a run's timeline (flow arrows, colours, kernels) the same in its actions, its
// toolbar and its timeline.
class RunLook : public QObject
{
    Q_OBJECT

public:
    struct Parts
    {
        TimelineWidget* timeline;
        RunToolbar* toolbar;
        RunPanels* panels;
        RunStateView* state;
    };

    RunLook(const Parts& parts, const RunActions& actions, QObject* parent);

private:
    void connectFlow();
    void connectColours();
    void connectKernels();
    void connectPlan();
    void setKernelsShown(bool shown);

    Parts m_parts;
    const RunActions& m_actions;
};

} // namespace app
