#pragma once

#include "app/timeline/view/coordinates.h"

#include <QPointF>
#include <QRectF>

#include <span>
#include <vector>

namespace app {

// The iterations that touch the visible time.
std::span<const engine::Iteration> iterationsInSight(std::span<const engine::Iteration> iterations,
                                                     const TimeAxis& axis);
// False if lines at the edges of the iterations would be so close that they hide the lanes.
bool areEdgesDrawn(std::span<const engine::Iteration> inSight, const TimeAxis& axis);
// The windows of the visible iterations, or the one window of all of them if their edges are not
// drawn.
std::vector<engine::Window> drawnWindows(std::span<const engine::Iteration> iterations,
                                         const TimeAxis& axis);

// The iterations that begin in one pixel column: their number and the least, the median and the
// greatest duration. An iteration wider than a pixel has a separate column.
struct IterationColumn
{
    double left = 0, right = 0; // pixels; `right` is the start of the next column
    std::size_t first = 0, count = 0;
    std::int64_t least = 0, median = 0, greatest = 0;
};
std::vector<IterationColumn> iterationColumns(std::span<const engine::Iteration> inSight,
                                              const TimeAxis& axis);

// The row of iteration times, shown for runs of many iterations.
struct IterationStrip
{
    static constexpr std::size_t kFrom = 20; // shown for more iterations than this

    std::span<const engine::Iteration> iterations; // all iterations of the run
    const TimeAxis& axis;
    QRectF area;
};
// The column at a point; `first` is an index into the iterations of the run. count == 0: none.
IterationColumn columnAt(const IterationStrip& strip, QPointF at);

// Returns the smallest number of 1, 2, 5, 10, 20, ... iterations that are at least `room` pixels
// wide.
int labelStep(double pixelsPerIteration, double room);

} // namespace app
