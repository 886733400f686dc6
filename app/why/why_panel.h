#pragma once

#include "app/documents/run_document.h"
#include "app/shell/page.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "engine/base/result.h"
#include "profiler/why/why.h"

#include <QString>
#include <QStringList>

#include <atomic>
#include <optional>
#include <vector>

namespace app {

class TimelineWidget;

// The work of "Why not faster?", for background threads.

// Explains an iteration. Fails like profiler::whyNotFaster().
engine::Result<PathMarksPointer> makePathMarks(const engine::Run& run, int iteration);

// The simulated effect of the change that a reason suggests.
struct WhyEffect
{
    std::optional<profiler::ChangeEffect> change; // nullopt: not known
    QString problem;                              // why it is not known; "" if there is no change
};
struct WhyEffectsAnswer
{
    std::vector<WhyEffect> effects;        // of each reason
    engine::Result<double> accuracy = 1.0; // see profiler::WhyEffects
    QStringList stragglers;                // a sentence for each slow device or rank
};
WhyEffectsAnswer simulateChanges(const engine::Run& run, const profiler::Why& why);

// The schemes that are faster with the measured times of a run.
struct FasterSchemesAnswer
{
    std::vector<profiler::FasterScheme> schemes; // see profiler::fasterSchemes()
    QString reason;                              // why they are not known; "" if they are
};
FasterSchemesAnswer findFasterSchemes(const engine::Run& run);

// Explains why the shown iteration of a run is not faster: how much time could go, what the busiest
// device waits for, the reasons with the gain of a change, and the faster schemes. It draws the
// critical path over the timeline. We ask for the path, then for the effects of the changes, and
// forget them when the panel is closed, because they are as large as the run.
class WhyPanel : public QWidget
{
    Q_OBJECT

public:
    static WhyPanel* make(const ThemeController& theme, TimelineWidget& timeline,
                          const std::shared_ptr<RunDocument>& document);

    virtual void setOn(bool isOn) = 0;
    // The iteration at the centre of the timeline; nullptr and -1 if there is none.
    virtual void setIteration(const RunViewPointer& view, int iteration) = 0;
    virtual void setSelection(const Selection& selection) = 0; // marks the reason of an op
    // Asks for the schemes that are faster than a run; see schemesKnown().
    virtual void askSchemes(const RunPointer& run) = 0;
    QSize sizeHint() const override { return {292, 600}; }

Q_SIGNALS:
    void pathChanged(const app::PathMarksPointer& marks); // nullptr: none
    void listRequested();                                 // of the ops of the path
    void closeRequested();
    void pageRequested(const app::PageRequest& request);
    void schemesKnown(const app::FasterSchemesAnswer& answer);
};

} // namespace app
