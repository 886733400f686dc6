#pragma once

#include "engine/timeline/timeline.h"

#include <optional>
#include <vector>

namespace app {

// The stretch of time in sight, in ticks (fractional: zooming is smooth).
struct ViewWindow
{
    double begin = 0, end = 1;

    double duration() const { return end - begin; }
    double centre() const { return (begin + end) / 2; }
    ViewWindow zoomed(double factor, double about) const; // factor < 1: closer
    ViewWindow moved(double ticks) const { return {begin + ticks, end + ticks}; }
    friend bool operator==(const ViewWindow&, const ViewWindow&) = default;
};

// Not closer than a few ticks, not further than twice the run, never without the run in sight.
ViewWindow limited(ViewWindow window, engine::Window extent);
// `window` with a margin, so that the first and the last box do not touch the edge: 10 and 16 px.
ViewWindow fitted(engine::Window window, double widthInPixels);

inline ViewWindow viewOf(engine::Window window)
{
    return {static_cast<double>(window.begin), static_cast<double>(window.end)};
}
// What shows all of `box`: nothing where it is in sight, else as close as before where it fits.
std::optional<ViewWindow> bringIn(engine::Window box, ViewWindow inSight);

// Where the view has been, like the history of a browser.
class ZoomHistory
{
public:
    void push(ViewWindow current); // before the view goes elsewhere
    bool back(ViewWindow& current);
    bool forward(ViewWindow& current);
    void clear();

private:
    std::vector<ViewWindow> m_back, m_forward;
};

} // namespace app
