#pragma once

#include "app/timeline/view/lanes.h"

#include <QObject>
#include <QPointF>

namespace app {

// The arrangement of a timeline's lanes, which the user changes by clicking and dragging their
// headers.
class LaneHeaders : public QObject
{
    Q_OBJECT

public:
    static constexpr double kTriangle = 22; // width of the triangle at the left of a header

    using QObject::QObject;

    // Contains only the user's settings; TimelineScene::layout() sets the other members.
    const LaneOptions& options() const { return m_options; }
    const LaneOrder& order() const { return m_options.order; }
    void setOrder(const LaneOrder& order);
    void toggle(int device);   // expands or collapses the lane, or expands its group
    void show(int device);     // unhides the lane and expands its group
    void resize(double boxes); // sets the height of compute boxes in pixels, clamped

    // Handles a press in the header of a device. If it is on the triangle, toggles the lane and
    // returns false. Otherwise returns true, and drag() can move the lane.
    bool press(double x, int device);
    // Moves the lane of the pressed header to the place of the lane at `y`, if the pointer would
    // then be on the moved lane. Does nothing if the pointer has moved by only a few pixels.
    void drag(double pixels, double y, const std::vector<Lane>& lanes);
    void release() { m_held = -1; }

Q_SIGNALS:
    void changed();
    void orderChanged(); // emitted after changed() if the order of lanes has changed

private:
    LaneOptions m_options;
    int m_held = -1; // device whose header is pressed; -1: none
};

} // namespace app
