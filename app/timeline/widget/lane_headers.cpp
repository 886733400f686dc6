#include "app/timeline/widget/lane_headers.h"

#include <algorithm>
#include <cmath>

namespace app {

void LaneHeaders::setOrder(const LaneOrder& order)
{
    if (order == m_options.order)
        return;
    m_options.order = order;
    Q_EMIT changed();
    Q_EMIT orderChanged();
}

void LaneHeaders::toggle(int device)
{
    if (const LaneGroup* group = order().groupOf(device)) {
        LaneOrder to = order();
        to.toggleGroup(*group);
        return setOrder(to);
    }
    if (!m_options.toggled.insert(device).second)
        m_options.toggled.erase(device);
    Q_EMIT changed();
}

void LaneHeaders::show(int device)
{
    LaneOrder to = order();
    to.hidden.erase(device);
    if (const LaneGroup* group = order().groupOf(device))
        to.toggleGroup(*group);
    setOrder(to);
}

void LaneHeaders::resize(double boxes)
{
    m_options.compute = std::clamp(boxes, LaneOptions::kLeast, LaneOptions::kMost);
    Q_EMIT changed();
}

bool LaneHeaders::press(double x, int device)
{
    if (x < kTriangle) {
        toggle(device);
        return false;
    }
    m_held = device;
    return true;
}

void LaneHeaders::drag(double pixels, double y, const std::vector<Lane>& lanes)
{
    constexpr double kLeast = 8; // pixels
    const int over = laneAt(lanes, y);
    if (m_held < 0 || over < 0 || std::abs(pixels) < kLeast)
        return;
    // A taller lane would still be under the pointer after the move, and would move back.
    const Lane &held = lanes[static_cast<std::size_t>(m_held)],
               &other = lanes[static_cast<std::size_t>(over)];
    if (other.top > held.top ? y < other.bottom() - held.height : y >= other.top + held.height)
        return;
    const auto devices = static_cast<int>(lanes.size());
    const std::vector<int> shown = order().shown(devices);
    const auto placeOf = [&](int device) { return std::ranges::find(shown, device); };
    LaneOrder to = order();
    if (to.move(m_held, static_cast<int>(placeOf(over) - placeOf(m_held)), devices))
        setOrder(to);
}

} // namespace app
