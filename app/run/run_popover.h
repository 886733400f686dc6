#pragma once

#include <QObject>

namespace app {

class RunActions;
class SelectionPopover;
class ThemeController;
class TimelineWidget;

// While the details are folded, describes the selected op or bubble next to its box in the
// timeline.
class RunPopover : public QObject
{
    Q_OBJECT

public:
    RunPopover(const ThemeController& theme, TimelineWidget& timeline, const RunActions& actions,
               QObject* parent);

private:
    bool isNeeded() const;
    void update();

    TimelineWidget& m_timeline;
    const RunActions& m_actions;
    SelectionPopover* m_popover;
};

} // namespace app
