#pragma once

#include "engine/timeline/timeline.h"

#include <optional>
#include <vector>

namespace app {

// The visible stretch of time in ticks, which may be fractional for smooth zooming.
struct ViewWindow
{
    double begin = 0, end = 1;

    double duration() const { return end - begin; }
    double centre() const { return (begin + end) / 2; }
    ViewWindow zoomed(double factor, double about) const; // factor < 1 magnifies
    ViewWindow moved(double ticks) const { return {begin + ticks, end + ticks}; }
    friend bool operator==(const ViewWindow&, const ViewWindow&) = default;
};

// Limits the window to at least a few ticks and at most twice the run, and keeps the run visible.
ViewWindow limited(ViewWindow window, engine::Window extent);
// Returns `window` with margins of 10 and 16 pixels, so that the first and the last box do not
// touch the edge.
ViewWindow fitted(engine::Window window, double widthInPixels);

inline ViewWindow viewOf(engine::Window window)
{
    return {static_cast<double>(window.begin), static_cast<double>(window.end)};
}
// Returns the view that shows all of `box`, with the same zoom if possible; nullopt if `inSight`
// already shows it.
std::optional<ViewWindow> bringIn(engine::Window box, ViewWindow inSight);

// The history of views, like that of a browser.
class ZoomHistory
{
public:
    void push(ViewWindow current); // call it before the view changes
    bool back(ViewWindow& current);
    bool forward(ViewWindow& current);
    void clear();

private:
    std::vector<ViewWindow> m_back, m_forward;
};

} // namespace app
