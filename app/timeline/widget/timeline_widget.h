#pragma once

#include "app/timeline/view/lanes.h"
#include "app/timeline/widget/time_canvas.h"
#include "app/timeline/widget/timeline_scene.h"

namespace app {

// The timeline of one run: overview, ruler, notes, lanes with the narrow rows below their boxes,
// memory column, legend. It paints only what is visible and owns only the state of its view. A run
// without an iteration is shown as an empty state.
class TimelineWidget : public TimeCanvas
{
    Q_OBJECT

public:
    enum class View { Keep, FitIteration };

    explicit TimelineWidget(const ThemeController& theme, QWidget* parent = nullptr);

    // Replaces the view, for example by a longer one of the same growing run; View::Keep keeps zoom
    // and selection. May be nullptr.
    void setView(RunViewPointer view, View how);
    void setRun(std::shared_ptr<const engine::Run> run, View how) // prepares the run synchronously
    {
        setView(run ? std::make_shared<const RunView>(std::move(run)) : nullptr, how);
    }
    const RunViewPointer& view() const { return m_scene.view; } // nullptr: none
    int iteration() const { return m_scene.iteration; } // the iteration at the centre; -1: none
    void showIteration(int iteration);
    const Selection& selection() const { return m_scene.selection; }
    void select(const Selection& selection); // also scrolls so that the selection is visible
    bool follow() const { return m_isFollowing; }
    const TimelineLook& look() const { return m_scene.look; }
    // Sets the kernels that are drawn below the ops; nullptr if they are unknown.
    void setKernels(KernelViewPointer kernels);
    const KernelViewPointer& kernels() const { return m_scene.kernels; }
    // Sets the notes, which are shown in a strip below the ruler. A click or a key from 1 to 9
    // selects a note.
    void setNotes(std::vector<engine::Note> notes);
    void goToNote(int note); // `note` is an index; ignored if out of range
    int currentNote() const { return m_scene.currentNote(); }
    // Outlines the hits of a search, dims other boxes and hides the flow; nullptr ends the search.
    void setFound(FoundPointer found);
    // Draws a critical path over the lanes and dims other ops; nullptr: none.
    void setPath(PathMarksPointer path);
    void setReasons(std::vector<PathReason> reasons); // of the path; setPath() removes them
    bool isPathShown() const { return m_scene.path != nullptr; }
    void setReason(int reason);                // highlights a reason of the path; -1: none
    void revealReason(int reason);             // also scrolls so that it is visible
    void showPlace(const engine::Note& place); // in the middle, and selects its op or its time
    void toggleLane(int device); // expands or collapses the lane, or expands its group
    // The groups into which the lanes of the run can collapse, and those that are collapsed.
    // Selecting an item of a device expands its group.
    std::vector<LaneGroup> laneGroups() const
    {
        return isEmpty() ? std::vector<LaneGroup>() : app::laneGroups(m_scene.view->run());
    }
    const std::vector<LaneGroup>& collapsed() const { return m_laneOptions.collapsed; }
    void setCollapsed(std::vector<LaneGroup> groups);
    void toggleGroup(int device); // collapses or expands the group of the device, if it has one
    bool areLanesDense() const { return m_scene.areLanesDense(); } // at the current size
    int devices() const { return isEmpty() ? 0 : m_scene.view->devices(); }
    // Sets the prediction of the next iteration, which is outlined after the last iteration while
    // the run grows.
    void setPlan(std::shared_ptr<const engine::Run> plan);
    // Sets the progress of the iteration that follows `iterations` complete ones. `devices`: number
    // of complete ops of each device.
    void setOpsDone(int iterations, std::vector<int> devices);
    QRect selectionRect() const // visible part of the selected op or bubble
    {
        return m_scene.boxOf(m_scene.selection).intersected(timeArea()).toAlignedRect();
    }
    QSize sizeHint() const override { return {1092, 654}; }
    QSize minimumSizeHint() const override { return {360, 200}; }

public Q_SLOTS:
    void setFollow(bool follow); // shows the end of a growing run
    void setLook(const app::TimelineLook& look);

Q_SIGNALS:
    void menuRequested(const QPoint& at); // context menu of the selection; `at` is global
    void selectionChanged(const app::Selection& selection);
    void iterationChanged(int iteration);
    void followChanged(bool follow);
    void lookChanged(const app::TimelineLook& look);
    void reasonClicked(int reason); // the reason was clicked on the ruler
    void pathClosed();              // the path was closed with Esc
    void collapsedChanged();

protected:
    bool isEmpty() const override { return m_scene.isEmpty(); }
    QRectF timeArea() const override { return m_scene.areas.lanes; }
    engine::Window extent() const override { return m_scene.extent(); }
    std::optional<ViewWindow> fit() const override { return m_scene.fitOf(iteration()); }
    std::optional<ViewWindow> selectedBox() const override
    {
        return viewOf(m_scene.selection.window); // has zero length if nothing is selected
    }
    void paintCanvas(QPainter& painter) override;
    void updateAxis() override;
    void sightChanged() override;
    void aboutToMove() override { setFollow(false); }
    void coloursChanged() override { ++m_overviewSerial; }

    bool hover(QPointF at) override;
    bool isHovering() const override { return m_scene.isHovering(); }
    void endHover() override { m_scene.endHover(); }
    QString toolTip() const override { return m_scene.toolTip(pointer()); }
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
    void relayout();    // computes lanes, scroll bar and empty state
    void changeLanes(); // call it after a change of m_laneOptions
    void updateIteration();
    void fitMessages(); // into one row if all are thin, or into three
    void updateFlow();
    void showTail(); // shows the end of a growing run that the user follows
    void setSelection(const Selection& selection);
    void revealItem(const Selection& selection);

    TimelineScene m_scene;
    LaneOptions m_laneOptions; // the user's settings; TimelineScene::layout() sets the others
    OverviewDrag m_overviewDrag;
    bool m_isFollowing = false;
    LanePicture m_lanes;
    CachedPicture m_overview;
    int m_overviewSerial = 0;
    QTimer m_zoomEnd;
};

} // namespace app
