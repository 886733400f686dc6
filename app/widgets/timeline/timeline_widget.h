#pragma once

#include "app/models/theme.h"
#include "app/timeline/paint/colour_by.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "engine/timeline/note.h"

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
    // Arrows of the selected micro-batch with the rest dimmed, or of all of them.
    enum class FlowMode { Off, Selected, All };

    explicit TimelineWidget(const ThemeController& theme, QWidget* parent = nullptr);
    ~TimelineWidget() override;

    // May be replaced by a longer one of the same run while it grows (View::Keep holds zoom and
    // selection). May be null.
    void setView(RunViewPointer view, View how);
    void setRun(std::shared_ptr<const engine::Run> run, View how); // prepares it here and now
    int iteration() const; // index shown or under the centre; -1 when there is none
    void showIteration(int iteration);
    const Selection& selection() const;
    void select(const Selection& selection); // brings it into view
    bool follow() const;
    FlowMode flowMode() const;
    ColourBy colourBy() const;
    // What GPUs ran beneath the ops, where that is known; null: nothing. It is drawn once
    // setKernelsShown() wants it.
    void setKernels(KernelViewPointer kernels);
    const KernelViewPointer& kernels() const;
    bool areKernelsShown() const;
    // In a strip under the ruler; keys 1 to 9 and a click go to one.
    void setNotes(std::vector<engine::Note> notes);
    void goToNote(int note); // index; nothing where there is no such note
    int currentNote() const; // what is selected is what it is about; -1: none
    // Boxes that were not found are dimmed, hits are outlined; null ends it.
    void setFound(FoundPointer found);
    QRect selectionRect() const; // of the selected op or bubble, as far as it is in sight
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
    void setColourBy(app::ColourBy by);
    void setKernelsShown(bool shown);

Q_SIGNALS:
    void selectionChanged(const app::Selection& selection);
    void iterationChanged(int iteration);
    void followChanged(bool follow);
    void flowModeChanged(app::TimelineWidget::FlowMode mode);
    void colourByChanged(app::ColourBy by);
    void kernelsShownChanged(bool shown);
    void viewChanged(); // what is in sight, or where it stands

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
