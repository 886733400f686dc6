#pragma once

#include "app/models/theme.h"
#include "app/timeline/selection.h"
#include "engine/timeline/run.h"

#include <QWidget>

#include <memory>

namespace app {

// One run: overview, ruler, lanes with sub-lanes, memory column, legend. Paints only what is
// visible; zoom at the cursor, pan, range selection, keyboard (visual-design.md, section 5). Owns
// nothing but its view state.
class TimelineWidget : public QWidget
{
    Q_OBJECT

public:
    enum class View { Keep, FitIteration };

    explicit TimelineWidget(const ThemeController& theme, QWidget* parent = nullptr);
    ~TimelineWidget() override;

    // `run` may be replaced by a longer one of the same run while it grows (View::Keep holds zoom
    // and selection).
    void setRun(std::shared_ptr<const engine::Run> run, View view);
    int iteration() const; // index shown or under the centre; -1 when there is none
    void showIteration(int iteration);
    const Selection& selection() const;
    void select(const Selection& selection);

public Q_SLOTS:
    void zoomToFit(); // the current iteration
    void zoomToAll();
    void zoomToSelection();
    void zoomBack();
    void zoomForward();
    void setFollow(bool follow); // the tail of a growing run

Q_SIGNALS:
    void selectionChanged(const app::Selection& selection);
    void iterationChanged(int iteration);
    void followChanged(bool follow);

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace app
