#pragma once

#include <QObject>

namespace app {

class RunActions;
class RunPanels;
class RunStateView;
class RunToolbar;
class TimelineWidget;

// Keeps the visible time and the TimelineLook equal in the actions, the toolbar and the timeline of
// a run.
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
    void showKernels(bool areShown);

    Parts m_parts;
    const RunActions& m_actions;
};

} // namespace app
