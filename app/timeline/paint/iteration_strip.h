#pragma once

#include "app/timeline/view/iteration_times.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/theme.h"

class QPainter;

namespace app {

// Draws the times of the visible iterations on an axis from 0: for every pixel column, a band from
// the least to the greatest time, and a line at the median. Labels iterations that are wide enough.
void paintIterationStrip(QPainter& painter, const RunView& view, const IterationStrip& strip,
                         const Theme& theme);
// The range of the times of the visible iterations: "0.41 to 1.24 ms".
QString iterationRange(const RunView& view, const TimeAxis& axis);
// "Iterations 512 to 514: 0.41 to 0.47 ms, median 0.43 ms"; empty if nothing is at the point.
QString iterationToolTip(const RunView& view, const IterationStrip& strip, QPointF at);

} // namespace app
