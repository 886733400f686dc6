#pragma once

#include "app/timeline/paint/colour_by.h"
#include "app/widgets/timeline/lane_picture.h"
#include "app/widgets/timeline/overview_drag.h"
#include "app/widgets/timeline/time_canvas.h"
#include "app/widgets/timeline/timeline_scene.h"

namespace app {

// The timeline of one run: overview, ruler, notes, lanes with the narrow rows below their boxes,
// memory column, legend. It paints only what is visible and owns only the state of its view. A run
// without an iteration is shown as an empty state.
class TimelineWidget : public TimeCanvas
{
    Q_OBJECT

public:
    enum class View { Keep, FitIteration };
    // Whether arrows show the selected micro-batch and dim the others, or show all micro-batches.
    enum class FlowMode { Off, Selected, All };

    explicit TimelineWidget(const ThemeController& theme, QWidget* parent = nullptr);

    // Replaces the view, for example by a longer one of the same growing run; View::Keep keeps zoom
    // and selection. May be nullptr.
    void setView(RunViewPointer view, View how);
    void setRun(std::shared_ptr<const engine::Run> run, View how) // prepares the run synchronously
    {
        setView(run ? std::make_shared<const RunView>(std::move(run)) : nullptr, how);
    }
    int iteration() const { return m_scene.iteration; } // the iteration at the centre; -1: none
    void showIteration(int iteration);
    const Selection& selection() const { return m_scene.selection; }
    void select(const Selection& selection); // also scrolls so that the selection is visible
    bool follow() const { return m_isFollowing; }
    FlowMode flowMode() const { return m_flowMode; }
    ColourBy colourBy() const { return m_colourBy; }
    // The kernels below the ops; nullptr: unknown. Drawn after setKernelsShown(true).
    void setKernels(KernelViewPointer kernels);
    const KernelViewPointer& kernels() const { return m_scene.kernels; }
    bool areKernelsShown() const { return m_scene.areKernelsShown; }
    // Sets the notes, which are shown in a strip below the ruler. Keys 1 to 9 and clicks select
    // one.
    void setNotes(std::vector<engine::Note> notes);
    void goToNote(int note); // `note` is an index; ignored if out of range
    int currentNote() const { return m_scene.currentNote(); }
    // Outlines the hits of a search and dims other boxes; nullptr ends the search.
    void setFound(FoundPointer found);
    // Draws a critical path over the lanes and dims other ops; nullptr: none. Its reasons have
    // numbers on the ruler.
    void setPath(PathMarksPointer path);
    bool isPathShown() const { return m_scene.path != nullptr; }
    void setReason(int reason);    // highlights a reason of the path; -1: none
    void revealReason(int reason); // also scrolls so that it is visible
    // What is in sight and selected, without a file and a note.
    ViewLink viewLink() const { return m_scene.link(m_colourBy); }
    // Shows what a link describes. Returns false if the run has not the selected op; the rest is
    // then shown.
    bool showLink(const ViewLink& link);
    // Hidden, pinned and moved lanes. A selected item whose lane is hidden shows its lane again.
    const LaneOrder& laneOrder() const { return m_laneOptions.order; }
    void setLaneOrder(const LaneOrder& order);
    void toggleLane(int device); // expands or collapses the lane, or expands its group
    // The groups into which the lanes of the run can collapse.
    std::vector<LaneGroup> laneGroups() const;
    int devices() const { return isEmpty() ? 0 : m_scene.view->devices(); }
    // The prediction of the next iteration, outlined after the last one while the run grows.
    void setPlan(std::shared_ptr<const engine::Run> plan);
    // How many ops each device has completed of the iteration after `iterations` complete ones.
    void setOpsDone(int iterations, std::vector<int> devices);
    bool isPlanShown() const { return m_scene.isPlanShown; }
    QRect selectionRect() const // visible part of the selected op or bubble
    {
        return m_scene.boxOf(m_scene.selection).intersected(timeArea()).toAlignedRect();
    }
    QSize sizeHint() const override { return {1092, 654}; }
    QSize minimumSizeHint() const override { return {360, 200}; }

public Q_SLOTS:
    void zoomToFit() override { showIteration(iteration()); }
    void zoomToAll() override;
    void zoomToSelection() override;
    void setFollow(bool follow); // shows the end of a growing run
    void setFlowMode(app::TimelineWidget::FlowMode mode);
    void setColourBy(app::ColourBy by);
    void setKernelsShown(bool shown);
    void setPlanShown(bool shown);

Q_SIGNALS:
    void laneOrderChanged();
    void planShownChanged(bool shown);
    void menuRequested(const QPoint& at); // in global coordinates; about the selection
    void selectionChanged(const app::Selection& selection);
    void iterationChanged(int iteration);
    void followChanged(bool follow);
    void flowModeChanged(app::TimelineWidget::FlowMode mode);
    void colourByChanged(app::ColourBy by);
    void kernelsShownChanged(bool shown);
    void reasonClicked(int reason); // on the ruler
    void pathClosed();              // with Esc

protected:
    bool isEmpty() const override { return m_scene.isEmpty(); }
    QRectF timeArea() const override { return m_scene.areas.lanes; }
    engine::Window extent() const override;
    void paintCanvas(QPainter& painter) override;
    void updateAxis() override;
    void sightChanged() override { updateIteration(); }
    void aboutToMove() override { setFollow(false); }
    void coloursChanged() override { ++m_overviewSerial; }

    bool hover(QPointF at) override;
    bool isHovering() const override
    {
        return m_scene.plannedHover || m_scene.hover.kind != Selection::Kind::None;
    }
    void endHover() override
    {
        m_scene.hover = {};
        m_scene.plannedHover.reset();
    }
    QString toolTip() const override
    {
        return m_scene.plannedHover ? m_scene.plannedText(*m_scene.plannedHover)
                                    : m_scene.toolTip(pointer());
    }
    void click(QPointF at) override { setSelection(m_scene.hit(at)); }
    void selectRange(QPointF from, double toX) override
    {
        setSelection(m_scene.rangeBetween(from.x(), toX));
    }
    void clearSelection() override;
    std::optional<ViewWindow> openAt(QPointF at) override;
    bool ownPress(QMouseEvent& event) override;
    void ownDrag(QPointF from, QPointF to) override;
    bool ownWheel(QWheelEvent& event, double notches) override;
    bool ownKey(int key, Qt::KeyboardModifiers modifiers) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void relayout(); // computes lanes, scroll bar and empty state
    void updateIteration();
    void updateFlow();
    void planChanged();
    void fitIteration(int iteration, Remember remember);
    void setSelection(const Selection& selection);
    void reveal(const Selection& selection);
    void pressOverview(QPointF at);
    void pressHeader(QPointF at, int device);
    void dragLane(QPointF from, QPointF to);
    bool walkKey(int key, Qt::KeyboardModifiers modifiers);

    TimelineScene m_scene;
    LaneOptions m_laneOptions;
    OverviewDrag m_overviewDrag;
    FlowMode m_flowMode = FlowMode::Selected;
    ColourBy m_colourBy = ColourBy::Operation;
    bool m_isFollowing = false;
    LanePicture m_lanes;
    CachedPicture m_overview;
    int m_heldLane = -1; // device whose header is pressed; -1: none
    int m_overviewSerial = 0;
};

} // namespace app
