#include "app/timeline/widget/overview_drag.h"

#include "app/timeline/paint/overview_painter.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {
constexpr double kReach = 6; // pixels around a handle
} // namespace

bool OverviewDrag::isOnHandle(const QRectF& frame, double x)
{
    return std::abs(x - frame.left()) <= kReach || std::abs(x - frame.right()) <= kReach;
}

OverviewDrag::Grip OverviewDrag::gripAt(const QRectF& frame, double x)
{
    if (frame.width() < 3 * kReach || !isOnHandle(frame, x))
        return Grip::Frame;
    return std::abs(x - frame.left()) <= kReach ? Grip::Begin : Grip::End;
}

ViewWindow OverviewDrag::press(const RunView& view, const QRectF& area, ViewWindow inSight,
                               QPointF at)
{
    const QRectF frame = overviewWindowRect(view, area, inSight);
    const TimeAxis whole = overviewAxis(view, area, 1);
    const Grip grip = gripAt(frame, at.x());
    if (grip == Grip::Frame && !frame.contains(at))
        inSight = inSight.moved(whole.time(at.x()) - inSight.centre());
    m_ticksPerPixel = whole.ticksPerPixel();
    begin(grip, inSight);
    return inSight;
}

ViewWindow OverviewDrag::moved(double ticks, double least) const
{
    switch (m_grip) {
    case Grip::Begin:
        return {std::min(m_from.begin + ticks, m_from.end - least), m_from.end};
    case Grip::End:
        return {m_from.begin, std::max(m_from.end + ticks, m_from.begin + least)};
    default:
        return m_from.moved(ticks);
    }
}

} // namespace app
