#pragma once

#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/widget/time_canvas.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"
#include "engine/timeline/timeline.h"

#include <QWidget>

#include <memory>

class QLabel;
class QToolButton;

namespace app {

// Selects the shown iteration: "Iteration < 2 of 0-4 >", or "typical ops".
class IterationStepper : public QWidget
{
    Q_OBJECT

public:
    explicit IterationStepper(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const engine::Timeline& timeline, int iteration); // index; -1: none yet
    int iteration() const { return m_iteration; }

Q_SIGNALS:
    void chosen(int iteration); // index into Timeline::iterations

private:
    QToolButton *m_previous, *m_next;
    QLabel* m_name;
    int m_iteration = -1, m_count = 0;
};

class LanePicture;

// Drags the visible window on the overview, as a whole or by an edge.
class OverviewDrag
{
public:
    enum class Grip { None, Frame, Begin, End };

    // Returns the part of the frame at `x`. A frame too narrow for handles has only the part Frame.
    static Grip gripAt(const QRectF& frame, double x);
    static bool isOnHandle(const QRectF& frame, double x);

    // Starts a drag in an overview that fills `area`. Returns the window to show: `inSight` or, if
    // `at` is outside the frame of `inSight`, a window of the same length centred at `at`.
    ViewWindow press(const RunView& view, const QRectF& area, ViewWindow inSight, QPointF at);
    // Returns the window after the pointer has moved. Requires press().
    ViewWindow dragged(double pixels, double least) const
    {
        return moved(pixels * m_ticksPerPixel, least);
    }
    void begin(Grip grip, ViewWindow from) { m_grip = grip, m_from = from; }
    void end() { m_grip = Grip::None; }
    bool isActive() const { return m_grip != Grip::None; }
    // Returns the window moved by `ticks`. Its edges stay at least `least` ticks apart.
    ViewWindow moved(double ticks, double least) const;

private:
    Grip m_grip = Grip::None;
    ViewWindow m_from;
    double m_ticksPerPixel = 1; // of the overview
};

// The areas of a timeline, in logical pixels of the widget.
struct TimelineGeometry
{
    static constexpr double kHeader = 140, kColumn = 124;
    static constexpr double kOverview = 48, kRuler = 26, kIterations = 30, kNotes = 18;
    static constexpr double kColumnFrom = 640; // minimum width in pixels for the memory column

    // These areas are as wide as the time axis. `iterations` and `notes` are empty if not shown.
    QRectF overview, ruler, iterations, notes, lanes;
    QRectF header, column; // next to the lanes; `column` is empty if it does not fit
    QRectF legend;

    struct Strips
    {
        bool iterations = false, notes = false;
    };

    TimelineGeometry()
        : TimelineGeometry({}, {})
    { }
    TimelineGeometry(QSizeF size, Strips strips)
    {
        const double right = size.width() >= kColumnFrom ? kColumn : 0;
        const double width = std::max(1.0, size.width() - kHeader - right);
        const double below = kOverview + kRuler;
        const double flags = below + (strips.iterations ? kIterations : 0);
        const double top = flags + (strips.notes ? kNotes : 0);
        const double height = std::max(0.0, size.height() - top - TimeCanvas::kLegend);
        overview = {kHeader, 0, width, kOverview};
        ruler = {kHeader, kOverview, width, kRuler};
        iterations = {kHeader, below, width, flags - below};
        notes = {kHeader, flags, width, top - flags};
        lanes = {kHeader, top, width, height};
        header = {0, top, kHeader, height};
        column = {kHeader + width, top, right, height};
        legend = {0, top + height, size.width(), TimeCanvas::kLegend};
    }
};

// The data and layout of a timeline. TimelinePainter draws it, TimelineWidget changes it.
struct TimelineScene
{
    RunViewPointer view;
    KernelViewPointer kernels;
    TimelineLook look;
    std::vector<engine::Note> notes; // sorted by time
    FoundPointer found;
    PathMarksPointer path;           // nullptr: not shown
    std::vector<PathReason> reasons; // of the path
    int reason = -1;                 // the highlighted one; -1: none
    PlanPointer plan;                // nullptr: unknown
    int planIteration = -1;          // index of the iteration to which `opsDone` belongs
    std::vector<int> opsDone;        // complete ops of each device; empty: unknown
    Selection selection, hover;
    CategoryBoxesPointer category; // of the selection; nullptr: it is not of this kind
    std::optional<PlannedOp> plannedHover;
    bool isFocused = false; // the selection has the keyboard focus
    std::optional<Flow> flow;
    int iteration = -1; // the iteration at the centre of the view

    TimelineGeometry areas;
    std::vector<Lane> lanes;
    TimeAxis axis;
    bool hasOneStrip = false; // see LaneOptions
    int scroll = 0;           // scroll offset of the lanes in pixels

    bool isEmpty() const { return !view || view->isEmpty(); }
    const std::vector<engine::Iteration>& iterations() const { return view->timeline().iterations; }
    const KernelView* drawnKernels() const // nullptr: hidden or unknown
    {
        return look.areKernelsShown && kernels && !kernels->isEmpty() ? kernels.get() : nullptr;
    }
    // The plan after the last iteration of a growing run; empty if it is hidden or unknown.
    PlanView drawnPlan() const;
    engine::Window extent() const; // includes the drawn plan
    // Returns app::rulerScale(). If a planned iteration has begun and its start is visible, the
    // scale counts from this start.
    RulerScale rulerScale() const;
    double laneY(double y) const { return y - areas.lanes.top() + scroll; }

    std::optional<EmptyState::Texts> emptyTexts() const; // nullopt: there is a timeline to draw
    void layout(QSizeF size, LaneOptions options);       // computes areas and lanes
    // Whether all messages are under two pixels wide in a window. Evicts and loads need their row.
    bool areMessagesThin(const ViewWindow& window) const;
    bool areLanesDense() const; // whether the visible lanes are dense
    Selection hit(QPointF at) const;
    // The target of a context menu: the device of a header, the marked range, or an item.
    Selection menuTarget(QPointF at) const;
    bool hoverAt(QPointF at); // returns whether the hovered item changed
    bool isHovering() const { return plannedHover || hover.kind != Selection::Kind::None; }
    void endHover();
    // Returns the selection after a key: a neighbouring box or kernel or, if nothing is selected,
    // the first op of the iteration; nullopt: the key does not move the selection.
    std::optional<Selection> walkedTo(int key, Qt::KeyboardModifiers modifiers) const;
    int deviceAt(QPointF at) const // the device whose lane header is at a point; -1: none
    {
        return areas.header.contains(at) ? laneAt(lanes, laneY(at.y())) : -1;
    }
    bool isOnHandle(QPointF at) const; // whether a handle of the overview's frame is at a point
    int noteAt(QPointF at) const       // index of the note at a point; -1: none
    {
        return areas.notes.contains(at) ? app::noteAt(noteStrip(), at) : -1;
    }
    int reasonAt(QPointF at) const // the reason whose number is at a point; -1: none
    {
        return path && areas.ruler.contains(at) ? app::reasonAt(reasons, axis, areas.ruler, at)
                                                : -1;
    }
    int iterationAt(QPointF at) const;   // the iteration at a point of its strip; -1: none
    QString stripText(QPointF at) const; // tooltip of the note or iteration time at a point
    int currentNote() const;             // index of the note about the selection; -1: none
    std::optional<Selection> noteTarget(int note) const; // nullopt: no such note
    // The part of the path that the highlighted reason is about; nullopt: none.
    std::optional<Selection> reasonTarget() const;
    PathPicture pathPicture(const BoxColours& colours) const // `path` is not nullptr
    {
        return {*path, reasons, axis, colours, reason};
    }
    NoteStrip noteStrip() const { return {notes, axis, areas.notes, currentNote()}; }
    IterationStrip iterationStrip() const { return {iterations(), axis, areas.iterations}; }
    Selection rangeBetween(double fromX, double toX) const;
    Selection deviceSelection(int device) const
    {
        return {.kind = Selection::Kind::Device,
                .iteration = iteration,
                .device = engine::DeviceId{device}};
    }
    // Returns the box of an item in widget coordinates. The box is outside the lanes if the item is
    // scrolled out of view.
    QRectF boxOf(const Selection& what) const
    {
        return isEmpty()
            ? QRectF()
            : rectOf(*view, axis, lanes, what).translated(0, areas.lanes.top() - scroll);
    }
    QString columnText(QPointF at) const; // text of a collapsed group's memory cell
    QString toolTip(QPointF at) const;    // tooltip of the hovered item, at a point
    QString spoken() const;               // describes the selection for screen readers

    // Returns the window that fits an iteration; nullopt if there is no such iteration.
    std::optional<ViewWindow> fitOf(int which) const;
    // Returns a window at the newest iteration of a growing run, or at the reported iteration of
    // another run. Keeps the zoom.
    ViewWindow tail() const;

private:
    std::optional<PlannedOp> plannedAt(QPointF at) const;
    QString plannedText(const PlannedOp& planned) const; // tooltip
};

// The timeline of one run: overview, ruler, notes, lanes with the narrow rows below their boxes,
// memory column, legend. It paints only what is visible and owns only the state of its view. A run
// without an iteration is shown as an empty state.
class TimelineWidget : public TimeCanvas
{
    Q_OBJECT

public:
    enum class View { Keep, FitIteration };

    explicit TimelineWidget(const ThemeController& theme, QWidget* parent = nullptr);
    ~TimelineWidget() override;

    // With more spans in sight, the lanes are painted in the background. Painting this many takes
    // about 5 ms.
    static constexpr std::size_t kSpansInBackground = 100'000;
    // Waits until the requested pictures of all widgets are painted. They appear when events are
    // next processed.
    static void waitForPainting();

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
    void showTail() // shows the end of a growing run that the user follows
    {
        if (m_isFollowing && !isEmpty())
            moveTo(m_scene.tail(), Remember::No);
    }
    void setSelection(const Selection& selection);
    void revealItem(const Selection& selection);

    TimelineScene m_scene;
    LaneOptions m_laneOptions; // the user's settings; TimelineScene::layout() sets the others
    OverviewDrag m_overviewDrag;
    bool m_isFollowing = false;
    std::unique_ptr<LanePicture> m_lanes;
    CachedPicture m_overview;
    int m_overviewSerial = 0;
    Later m_zoomEnd{150, [this] { fitMessages(); }};
};

} // namespace app
