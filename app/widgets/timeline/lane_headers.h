#pragma once

#include "app/timeline/view/lanes.h"

#include <QObject>
#include <QPointF>

namespace app {

// The arrangement of the lanes of a timeline, which the user changes by their headers, and the
// header that is dragged.
class LaneHeaders : public QObject
{
    Q_OBJECT

public:
    static constexpr double kTriangle = 22; // width of the triangle at the left of a header

    using QObject::QObject;

    // Without what depends on the size and the kernels of the timeline.
    const LaneOptions& options() const { return m_options; }
    const LaneOrder& order() const { return m_options.order; }
    void setOrder(const LaneOrder& order);
    void toggle(int device);   // expands or collapses the lane, or expands its group
    void show(int device);     // its boxes: neither hidden nor in a collapsed group
    void resize(double boxes); // the height of the compute boxes, in pixels; within bounds

    // A press on the triangle toggles the lane; returns false. Elsewhere the header can be dragged.
    bool press(double x, int device);
    // Moves the lane of the pressed header to the place of the lane `over`; -1: none.
    void drag(double pixels, int over, int devices);
    void release() { m_held = -1; }

Q_SIGNALS:
    void changed();
    void orderChanged(); // after changed()

private:
    LaneOptions m_options;
    int m_held = -1; // device whose header is pressed; -1: none
};

} // namespace app
