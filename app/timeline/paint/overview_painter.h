#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/iteration_times.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/timeline/view/view_window.h"
#include "app/ui/theme.h"

#include <QRectF>

class QPainter;

namespace app {

// The overview shows the whole run in the width of the time area: a line of labels, rows of
// coverage columns, and the visible window on top of them.

constexpr double kOverviewLabels = 14; // height of the line of labels

TimeAxis overviewAxis(const RunView& view, const QRectF& area, double dpr);
QString shortTitle(const engine::Iteration& iteration); // "iteration 2", "warm-up", "typical"

// Draws only the rows. This is slow, so the result should be cached.
void paintOverview(QPainter& painter, const RunView& view, const BoxColours& colours,
                   const QRectF& area, double dpr);
void paintOverviewLabels(QPainter& painter, const RunView& view, const BoxColours& colours,
                         const QRectF& area, int current);
// Draws the visible window: its frame and two handles, and a shade over the time outside.
void paintOverviewWindow(QPainter& painter, const RunView& view, const BoxColours& colours,
                         const QRectF& area, ViewWindow window);
// Draws a triangle over every hit of a search.
void paintOverviewHits(QPainter& painter, const RunView& view, const BoxColours& colours,
                       const QRectF& area, const std::vector<Selection>& hits);
QRectF overviewWindowRect(const RunView& view, const QRectF& area, ViewWindow window);

// Draws the times of the visible iterations on an axis from 0: for every pixel column, a band from
// the least to the greatest time, and a line at the median. Labels iterations that are wide enough.
void paintIterationStrip(QPainter& painter, const RunView& view, const IterationStrip& strip,
                         const Theme& theme);
// The range of the times of the visible iterations: "0.41 to 1.24 ms".
QString iterationRange(const RunView& view, const TimeAxis& axis);
// "Iterations 512 to 514: 0.41 to 0.47 ms, median 0.43 ms"; empty if nothing is at the point.
QString iterationToolTip(const RunView& view, const IterationStrip& strip, QPointF at);

} // namespace app
