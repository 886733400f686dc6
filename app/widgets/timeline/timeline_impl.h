#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/note_marks.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/view_keys.h"
#include "app/timeline/view/view_window.h"
#include "app/widgets/timeline/timeline_geometry.h"
#include "app/widgets/timeline/timeline_widget.h"

#include <QPixmap>
#include <QTimer>

#include <optional>

class QPainter;
class QScrollBar;

namespace app {

class EmptyState;

// The state of a TimelineWidget and what changes it; painting and input stand in their own files.
struct TimelineWidget::Impl
{
    enum class Drag { None, Press, Range, Pan, OverviewMove, OverviewBegin, OverviewEnd };
    enum class Remember { No, Yes }; // in the zoom history

    // What a cached picture of the lanes depends on.
    struct PictureKey
    {
        const void* run = nullptr;
        TimeAxis axis;
        QSizeF size;
        double scroll = 0;
        std::optional<Flow> flow;
        int iteration = -1, layout = 0;
        profiler::ThemeMode theme = profiler::ThemeMode::Light;

        friend bool operator==(const PictureKey&, const PictureKey&) = default;
    };

    Impl(TimelineWidget& widget, const ThemeController& theme);

    // timeline_impl.cpp
    bool isEmpty() const { return !view || view->isEmpty(); }
    double dpr() const { return widget.devicePixelRatioF(); }
    TimeAxis axis() const;
    void relayout(); // lanes, scroll bar, empty state
    void show(ViewWindow window, Remember remember);
    void userShows(ViewWindow window, Remember remember); // and follows no longer
    void fitIteration(int iteration, Remember remember);
    void followTail();
    void setSelection(const Selection& selection);
    void reveal(const Selection& selection);
    void updateIteration();
    void updateFlow();
    void updateEmptyState();
    void themeChanged();
    QString spoken(const Selection& selection) const; // for screen readers

    // timeline_paint.cpp
    void paint(QPainter& painter);
    QString denseNote() const;
    void paintFrame(QPainter& painter) const;
    void paintTop(QPainter& painter);
    void paintTopTexts(QPainter& painter, const Theme& look) const;
    void paintSides(QPainter& painter);
    void paintMarks(QPainter& painter);
    void paintLanes(QPainter& painter, const TimeAxis& axis);
    void paintLaneGround(QPainter& painter, const TimeAxis& axis, const Lane& lane) const;
    const QPixmap& lanePicture();
    const QPixmap& overviewPicture();
    BoxColours& boxColours();

    // timeline_notes.cpp
    NoteStrip noteStrip() const;
    void paintNotes(QPainter& painter) const;
    bool chooseNote(QPointF at); // true: there is one
    void goToNote(int note);

    // timeline_input.cpp
    void press(QMouseEvent& event);
    void drag(QPointF to);
    void release(QMouseEvent& event);
    void hoverAt(QPointF at);
    void wheel(QWheelEvent& event);
    bool key(int key, Qt::KeyboardModifiers modifiers);
    bool viewCommand(ViewKey command);
    bool walkKey(int key);
    bool kernelKey(int key, Qt::KeyboardModifiers modifiers);
    void showToolTip();
    Selection hit(QPointF at) const;
    const HostRange* rangeUnder(QPointF at) const; // nullptr: none
    int foldAt(QPointF at) const;                  // device whose triangle lies here, or -1

    TimelineWidget& widget;
    const ThemeController& theme;
    // The kernels that are drawn: none where they are not wanted, or not known.
    const KernelView* shownKernels() const
    {
        return areKernelsShown && kernels && !kernels->isEmpty() ? kernels.get() : nullptr;
    }

    RunViewPointer view;
    KernelViewPointer kernels;
    bool areKernelsShown = false;
    TimelineGeometry areas;
    std::vector<Lane> lanes;
    LaneWishes wishes;
    int layoutSerial = 0;
    ViewWindow window;
    ZoomHistory history;
    Selection selection, hover;
    std::optional<Flow> flow;
    FlowMode flowMode = FlowMode::Selected;
    ColourBy colourBy = ColourBy::Operation;
    FoundPointer found;
    std::vector<engine::Note> notes; // by time
    int iteration = -1;
    bool isFollowing = false, isByKeyboard = false;

    Drag dragging = Drag::None;
    QPointF pressedAt;
    ViewWindow pressedWindow;
    QTimer toolTipTimer;
    QPointF pointer;

    QScrollBar* scrollBar = nullptr;
    EmptyState* empty = nullptr;
    std::unique_ptr<BoxColours> colours;
    double coloursDpr = 0;
    PictureKey pictureKey, overviewKey;
    QPixmap picture, overview;
};

} // namespace app
