#pragma once

#include "app/models/theme.h"
#include "app/timeline/selection.h"
#include "engine/timeline/run.h"

#include <QWidget>

#include <memory>

namespace app {

// One run: overview, ruler, lanes with sub-lanes, memory column, legend. Paints only what is
// visible; zoom at the cursor, pan, range selection, keyboard (visual-design.md, section 5). Owns
// nothing but its view state. Without an iteration it says so.
class TimelineWidget : public QWidget
{
    Q_OBJECT

public:
    enum class View { Keep, FitIteration };
    enum class FlowMode { Off, Selected }; // arrows of the selected micro-batch, the rest dimmed

    explicit TimelineWidget(const ThemeController& theme, QWidget* parent = nullptr);
    ~TimelineWidget() override;

    // `run` may be replaced by a longer one of the same run while it grows (View::Keep holds zoom
    // and selection). May be null.
    void setRun(std::shared_ptr<const engine::Run> run, View view);
    int iteration() const; // index shown or under the centre; -1 when there is none
    void showIteration(int iteration);
    const Selection& selection() const;
    void select(const Selection& selection); // brings it into view
    bool follow() const;
    FlowMode flowMode() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void zoomToFit(); // the current iteration
    void zoomToAll();
    void zoomToSelection();
    void zoomBack();
    void zoomForward();
    void setFollow(bool follow); // the tail of a growing run
    void setFlowMode(app::TimelineWidget::FlowMode mode);

Q_SIGNALS:
    void selectionChanged(const app::Selection& selection);
    void iterationChanged(int iteration);
    void followChanged(bool follow);
    void flowModeChanged(app::TimelineWidget::FlowMode mode);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace app
