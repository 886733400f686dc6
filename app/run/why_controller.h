#pragma once

#include "app/shell/page.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/background.h"
#include "app/why/why_analysis.h"

namespace app {

class RunActions;
class RunPanels;
class TimelineWidget;
class WhyPanel;

// Shows the critical path of the shown iteration while RunActions::why is checked: over the
// timeline, in the panel beside it and in the tables.
class WhyController : public QObject
{
    Q_OBJECT

public:
    WhyController(const ThemeController& theme, const RunActions& actions, TimelineWidget& timeline,
                  RunPanels& panels, std::shared_ptr<RunDocument> document); // child of `timeline`

    WhyPanel* panel() const { return m_panel; } // a widget without a parent at first

    // The iteration at the centre of the timeline; nullptr and -1 if there is none.
    void setIteration(const RunViewPointer& view, int iteration);
    void setSelection(const Selection& selection); // highlights the reason of an op on the path
    void askNext(const RunPointer& run) { m_analysis.askNext(run); } // see nextKnown()

Q_SIGNALS:
    void pageRequested(const app::PageRequest& request);
    void nextKnown(const app::NextSchemeAnswer& answer);

private:
    void connectPanel();
    void ask();
    void explain(const PathMarksPointer& marks, const QString& reason);
    void close();
    void choose(int reason);
    void chooseOp(std::uint32_t op);
    void compare();
    void run();
    QString whyNotRun() const;

    const RunActions& m_actions;
    TimelineWidget& m_timeline;
    RunPanels& m_panels;
    WhyPanel* m_panel;
    std::shared_ptr<RunDocument> m_document;
    RunViewPointer m_view;
    int m_iteration = -1;
    PathMarksPointer m_marks;
    NextSchemeAnswer m_next;
    bool m_isChoosing = false; // while chooseOp() selects an op, setSelection() keeps the reason
    WhyAnalysis m_analysis;
    Background m_writing{this};
};

} // namespace app
