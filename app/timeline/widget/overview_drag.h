#pragma once

#include "app/timeline/view/run_view.h"
#include "app/timeline/view/view_window.h"

#include <QRectF>

namespace app {

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

} // namespace app
