#pragma once

#include "app/run/run_analysis.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QObject>

namespace app {

class DetailsPanel;
class RunActions;
class RunPanels;
class TimelineWidget;

// Shows the marked range of a run's page in a tab with its metrics, and marks ranges that the user
// types.
class RunRange : public QObject
{
    Q_OBJECT

public:
    struct Parts
    {
        TimelineWidget* timeline;
        RunPanels* panels;
        DetailsPanel* details;
    };

    RunRange(const Parts& parts, const RunActions& actions, RunAnalysis& analysis, QObject* parent);

    // Call it when the run is new or has grown; nullptr: no run.
    void setView(const RunViewPointer& view, int iteration);
    void select(const Selection& selection);
    // Marks a range and brings it into view.
    void mark(engine::Window range);
    std::optional<engine::Window> marked() const
    {
        return m_selection.kind == Selection::Kind::Range ? std::optional(m_selection.window)
                                                          : std::nullopt;
    }

private:
    void ask();

    Parts m_parts;
    RunAnalysis& m_analysis;
    RunViewPointer m_view;
    Selection m_selection;
};

} // namespace app
