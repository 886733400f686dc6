#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/note_marks.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/view_window.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/timeline/timeline_geometry.h"

#include <QString>

#include <optional>

namespace app {

// The data and layout of a timeline. TimelinePainter draws it, TimelineWidget changes it.
struct TimelineScene
{
    RunViewPointer view;
    KernelViewPointer kernels;
    bool areKernelsShown = false;
    std::vector<engine::Note> notes; // by time
    FoundPointer found;
    Selection selection, hover;
    bool isFocused = false; // keyboard focus on the selection
    std::optional<Flow> flow;
    bool areAllFlowsShown = false;
    int iteration = -1; // under the centre of the view

    TimelineGeometry areas;
    std::vector<Lane> lanes;
    TimeAxis axis;
    int scroll = 0; // of the lanes

    bool isEmpty() const { return !view || view->isEmpty(); }
    const std::vector<engine::Iteration>& iterations() const { return view->timeline().iterations; }
    const KernelView* drawnKernels() const // nullptr: hidden or unknown
    {
        return areKernelsShown && kernels && !kernels->isEmpty() ? kernels.get() : nullptr;
    }
    double laneY(double y) const { return y - areas.lanes.top() + scroll; }

    std::optional<EmptyState::Words> emptyWords() const; // nullopt: there is something to draw
    void layout(QSizeF size, LaneOptions& options);      // areas and lanes
    Selection hit(QPointF at) const;
    int deviceAt(QPointF at) const; // in the header of a lane; -1: none
    int noteAt(QPointF at) const;   // index; -1: none
    int currentNote() const;        // the note about the selection; -1: none
    NoteStrip noteStrip() const;
    Selection rangeBetween(double fromX, double toX) const;
    Selection deviceSelection(int device) const;
    // in widget coordinates; outside of the lanes if scrolled away
    QRectF boxOf(const Selection& what) const;
    QString toolTip(QPointF at) const; // of the hovered item
    QString spoken() const;            // the selection, for screen readers

    std::optional<ViewWindow> fitOf(int which) const; // none: no such iteration
    // The newest iteration of a growing run, else the reported one; at the current zoom.
    ViewWindow tail() const;
};

} // namespace app
