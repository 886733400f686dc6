#include "app/timeline/view/view_window.h"

#include <algorithm>

namespace app {
namespace {
constexpr double kClosest = 2; // visible ticks
constexpr double kFitLeft = 10, kFitRight = 16;
constexpr std::size_t kRemembered = 100;
} // namespace

ViewWindow ViewWindow::zoomed(double factor, double about) const
{
    return {about + (begin - about) * factor, about + (end - about) * factor};
}

ViewWindow limited(ViewWindow window, engine::Window extent)
{
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, extent.duration()));
    const double wanted = window.duration();
    const double duration = std::clamp(wanted, std::min(kClosest, whole), 2 * whole);
    if (duration != wanted)
        window = window.zoomed(duration / wanted, window.centre());
    const auto first = static_cast<double>(extent.begin), last = static_cast<double>(extent.end);
    if (window.centre() < first)
        window = window.moved(first - window.centre());
    if (window.centre() > last)
        window = window.moved(last - window.centre());
    return window;
}

ViewWindow fitted(engine::Window window, double widthInPixels)
{
    const double inner = std::max(1.0, widthInPixels - kFitLeft - kFitRight);
    const double pixel = static_cast<double>(std::max<std::int64_t>(1, window.duration())) / inner;
    return {static_cast<double>(window.begin) - kFitLeft * pixel,
            static_cast<double>(window.end) + kFitRight * pixel};
}

std::optional<ViewWindow> bringIn(engine::Window window, ViewWindow inSight)
{
    const ViewWindow box = viewOf(window);
    if (box.duration() > inSight.duration())
        return box.zoomed(1.25, box.centre());
    if (box.begin < inSight.begin || box.end > inSight.end)
        return inSight.moved(box.centre() - inSight.centre());
    return std::nullopt;
}

void ZoomHistory::push(ViewWindow current)
{
    if (!m_back.empty() && m_back.back() == current)
        return;
    m_back.push_back(current);
    if (m_back.size() > kRemembered)
        m_back.erase(m_back.begin());
    m_forward.clear();
}

bool ZoomHistory::back(ViewWindow& current)
{
    if (m_back.empty())
        return false;
    m_forward.push_back(current);
    current = m_back.back();
    m_back.pop_back();
    return true;
}

bool ZoomHistory::forward(ViewWindow& current)
{
    if (m_forward.empty())
        return false;
    m_back.push_back(current);
    current = m_forward.back();
    m_forward.pop_back();
    return true;
}

void ZoomHistory::clear()
{
    m_back.clear();
    m_forward.clear();
}

} // namespace app
